// Two-colour counting on a GPU: the sum of black * white for pairs of row sets.
//
// A job is some pairs and some Co's, and the work of one block of threads. The colour with
// fewer queens is *stored* first: how many ways it has for each Ce and Co goes to a table in
// shared memory, the *tile*. Then the other colour *gathers* from the tile. Nothing else is
// kept: neither colour's counts ever leave the multiprocessor, only the job's sum does.
//
// Storing *scans*. One placement q of the one board is one bit. For every square of the other
// board there is a *plane*: the bits of those q's that a queen there does not attack. Each lane
// has two words of 32 q's, if possible of two Co's that stand side by side in the tile, and each
// half of a warp takes one p after the other with all its lanes together: a plane for two queens,
// another for two more, perhaps one for a fifth, an AND of them per word, and a population count.
// The p's are sorted by Ce, so several are counted before a cell is touched, and then by the fifth
// queen, so its plane is often that of the p before.
//
// Most q's die with the first queens of p. So the lists are *sifted* first: for every stem,
// the choices in all levels but the last four or five, only the q's that the stem does not
// attack are made into bits. The rows of the stem are near the middle of the board, where a queen
// attacks most.
//
// Gathering scans too where many q's survive, with a product in place of the addition. Where
// few do, it *unfolds*: see there. On the largest boards so does storing where both colours have
// the same number of queens: a tile has room for few Co's, and scanning is for many.
//
// No counter can overflow. With M the most placements of one Ce in the storing tree and Qs the
// most q's of one Co there, a count is at most M * Qs, and after weighing at most 4 times that.
// The host refuses a pair where that does not fit 32 bits, or where the sum of a job, at most
// 2 * T * Q times a cell for T placements of the gathering tree and Q q's of all its lists, does
// not fit 64. In a tile with cells of 16 bits the counts may not fit. Where storing scans, a
// carry makes the sum of all cells smaller than the number of survivors that were added, and
// never larger, so comparing the two tells. Where it unfolds, one is added at a time, and every
// adder sees what was there: long before a carry, a cell with its highest bit. The host then asks
// for a tile of 32-bit cells.
//
// Measured on an H200 (132 multiprocessors, driver 580.159.04, 2026-11-16) with 16 host cores:
// n = 20 in 0.046 s, 21 in 0.22, 22 in 0.97, 24 in 41 s; from 200 random units n = 27 in
// 7.0 +- 1.4 h, from 500 n = 28 in 16.7 +- 0.3 h. By ncu, n = 22 takes 3.4 instructions of a warp
// per placement of either colour and issues in 75 % of the cycles; c = 6 of n = 24, which scans on
// both sides, in 69 %, and c = 5, which unfolds, in 78 %. Scanning takes 14 instructions for two
// p's and 32 words, and 7 more for what is done once for eight p's or where the Ce changes; shared
// memory would allow a quarter more. Unfolding: a step of 32 lanes is 46 to 70 instructions, piling an item for one
// pair 33, two squares of the last row 46 and 55 where they are stored. Of these two squares there
// is 1.1 to 1.4 on average. With 64 registers a thread there are 8 warps to a scheduler, and at the
// end of a job they wait for each other.
//
// Tried, in kernel seconds of n = 22 where no other is said:
// - Tables in global memory, filled by one kernel and gathered from by another: gathering by
//   scanning took 6.6 s, waiting at barriers; by sifting lists warp by warp at every level, for
//   up to 16 pairs together, 2.0 s and 0.7 s for the storing, with 10 instructions a placement.
// - The same sifting from a tile of one pair: 4.1 s, since a list is much too short for a warp
//   when it is of 64 Co's only.
// - Unfolding for one pair at a time 2.7 s, for two 2.1, for four 1.8. Items as four 64-bit
//   numbers and one level for each of the last two rows: 2.8. Up to eight pairs that have any
//   rows but two in common, not only the first (kept): 1.44 and not 1.52.
// - Scanning a tree of prefixes in place of a sorted row of placements: more than half of the
//   time went into prefixes. Four rows below a stem in place of five: there is half as much to
//   scan, but planes are rebuilt too often; class c = 6 of n = 24 took twice as long, with planes
//   of 32 words as with planes of 64.
// - A whole warp for one p and 64 words (n = 22: 1.44) in place of half of one and 32 (kept,
//   1.25). Adding to the tile for every p, without a branch, took 1.48.
// - Beginning with one queen and 32 q's in place of two queens and a whole list (kept): 1.16 and
//   not 1.25, also because the warps end closer together.
// - Storing by unfolding: c = 7 of n = 28 in two thirds of the time (kept); c = 6 of n = 26 and of
//   n = 24 in a seventh more.
// - Tiles of 32 lists in place of 64, for two blocks to a multiprocessor: c = 6 of n = 24 took
//   0.75 s and not 0.72 for 40 units.
// - Teams of warps that scan one stem each, with barriers of their own, so that one scans while
//   another makes planes: two teams took as long as one.
// - Planes of 16 words, eight lanes for a p, four teams, four rows below a stem: 1.65 and not 1.17.
//   Half of the reads meet another's banks, and runs of p's with the same Ce are short.
// - The p's of a stem sorted by the fifth queen first and then by Ce, its plane in registers: a
//   third fewer reads, but c = 6 of n = 24 took 0.92 s and not 0.72, since runs are short.
// - Reading the next p's ahead: no difference.
// - Stems near the middle (kept): c = 6 of n = 24 took 0.63 s and not 0.69. Words of any two lists
//   in place of two side by side only (kept): 0.56.
// - Piling and the last queens in a loop of their own, in place of one loop for everything (kept):
//   1.04 and not 1.15. The same without branches, with numbers of 32 bits for places, one
//   instruction for three words, and the row with one free square first (kept): 0.97.
// - Adding 0 where there is no cell, without a branch, in place of not adding (kept): c = 7 of
//   n = 28 took 0.79 s with one row for all that have none, 0.72 with eight, and 0.70.
// - Gathering by scanning where 55 % of the rows have queens (c = 5 here): 2.6 and not 1.8 with
//   the host's work; 54 % (c = 6 of n = 26): twice the time of unfolding. Unfolding at 50 %: n = 20
//   0.098 s and not 0.080, c = 6 of n = 24 0.87 and not 0.75.
//
// The same text runs on the CPU, for tests: EACH_THREAD is a thread's own life on the GPU and
// a loop over all threads of the block elsewhere, so threads may talk only through memory and
// only across a BARRIER. In EACH_WARP the lanes of one warp may also talk by BALLOT and FIRST.

#ifdef __CUDACC__
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define DEVICE __device__ __forceinline__
#define EACH_THREAD for (u32 thread = threadIdx.x, once = 1; once; once = 0)
#define EACH_WARP for (u32 warp = threadIdx.x / 32, once = 1; once; once = 0)
#define BARRIER __syncthreads()
#define THREADS blockDim.x
#define BLOCK blockIdx.x
// For code that a warp runs by itself: its lanes, the caller's place among them, which lanes
// say yes, and what the first lane has. Lanes read what others wrote only after WARP_SYNC, or
// after a BALLOT, which none passes before all have come: what a warp does with shared memory is
// done in order, and the compiler moves none of it across asm that says so, as `write_some` does.
#define LANES 32u
#define LANE (threadIdx.x % 32)
#define BALLOT(x) __ballot_sync(~0u, (x))
#define FIRST(x) __shfl_sync(~0u, (x), 0)
#define WARP_SYNC __syncwarp()
#endif

// Mirrors of the structures in batch.rs. Places are counted in 8-byte words from the start of
// the batch.

struct Tree {
    u32 squares, stems, placements; // places
    u32 stem_count;
    u32 stem_rows;                  // levels of a stem
    u32 rows, cols;
    u32 singles, pairs;             // of the rows below the stem: alone, and two together
    u32 unused;
};

struct Stem {
    u32 path;           // the column of each of its levels, four bits a level
    u32 first;          // where its placements begin
};

// The lines of q's, diagonals in the low half and anti-diagonals in the high one, sorted by
// Co. Above the diagonals stand the low bits of the Co, and above the anti-diagonals those
// that have no room there.
struct Queue {
    u32 lines, starts;              // places
};

struct Pair {
    u32 store_tree, store_queue, gather_tree, gather_queue;     // numbers
    u32 ce_limit, co_limit;         // how many of each are visited
    u32 last_co;                    // from here on the other weights are for a Co
    u32 weights, rest_weights;      // places of one byte per Ce, or 0 where all are 1
    u32 last_cols;                  // no set of columns above this, as a number, is visited
    u32 gather_rows;                // place of the lines of the first square of each row, in
                                    // the order in which they are unfolded
    u32 unused;
};

// The pairs of a job have the tree that stores and the queue that gathers in common, and the
// rows that gather differ in the last two only.
struct Job {
    u32 first_pair, pairs;
    u32 first_co, cos;
};

struct Batch {
    const u64* words;
    const u64* kept;                // lists that many batches share
    u64* sums;                      // one per job
    u64* scratch;                   // scratch_room words for each block
    u32* flag;                      // set where something does not fit
    u32* next_job;                  // how many jobs have been taken
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes;              // room for this many
    u32 tile_rows;                  // room for this many rows, and two more
    u32 width_bits;                 // of the length of a row
    u32 list_room;                  // the most q's of a job
    u32 scratch_room;
    u32 diagonals;                  // of either direction
    u32 ce_of;                      // place of the Ce of every set of columns that gathers
    u32 stored_ce_of;               // of every set that is stored, or 0 where storing scans
    u32 co_pairs;                   // Co's that stand beside theirs
    u32 table_room;                 // the most words of q's that are scanned, and some more
    u32 first_queens;               // queens that are chosen before q's are unfolded
    u32 unused;
};

#define MOST_STEM_ROWS 8

// The most warps of a block.
#define MOST_WARPS 32

// The most lists of a job, one for each Co of each of its pairs.
#define MOST_LISTS 64

// The most pairs of a job.
#define MOST_PAIRS 8

// What the flag says: a cell does not fit its bits.
#define TOO_LARGE 1u

// Lanes that take one p, each with two words of q's.
#define HALF 16u

// The words of a plane.
#define PLANE 32u

// The step from one plane of lines to the next: one more than a plane, so that a warp that
// writes 32 planes for one lane meets 32 banks.
#define LINE_STEP 33

// Placements of a stem are a multiple of this many.
#define TOGETHER 16

// One list of q's that is scanned: those of one Co, for one pair.
struct alignas(16) List {
    u32 from;           // its place
    u32 room;           // where what is left of it stands among the others'
    u32 weights;        // place of the weights of its cells, or 0 where all are 1
    u32 limit;          // Ce's of its pair
};

// Shared memory.
struct Shared {
    u32* tile;          // for each Ce, a cell for each list
    u64* sums;          // one per warp
    u64* total;         // and their sum
    u32* head;          // the job, and what comes next of what the warps share out
    List* lists;
    u32* counts;        // for each level of a stem, what is left of each list
    u16* table;         // which list a word is of, and which part of it
    u32* words;         // how many words there are
    // For scanning. A plane is two words for each lane of a half.
    u32* squares;
    u32* lines;         // the planes of lines, for each word
    u32* pairs;         // and in their place later those of pairs of squares
    // For unfolding, in the same place.
    u64* unfold;
};

template <class T>
DEVICE const T* at(const Batch& batch, u32 place) {
    return reinterpret_cast<const T*>(batch.words + place);
}

// Marks the places of lists that are not in the batch.
#define KEPT (1u << 31)

// The same for placements of trees and lines of queues.
template <class T>
DEVICE const T* at_list(const Batch& batch, u32 place) {
    const u64* from = place & KEPT ? batch.kept : batch.words;
    return reinterpret_cast<const T*>(from + (place & ~KEPT));
}

DEVICE u32 population(u32 x) {
#ifdef __CUDACC__
    return __popc(x);
#else
    return __builtin_popcount(x);
#endif
}

// How many of the lanes in `mask` come before this one.
DEVICE u32 lanes_before(u32 mask, u32 lane) {
    return population(mask & ((1u << lane) - 1));
}

// The number of the lowest bit of x, which is not 0.
DEVICE u32 lowest(u32 x) {
#ifdef __CUDACC__
    return __clz(__brev(x));
#else
    return __builtin_ctz(x);
#endif
}

// One byte of a word.
DEVICE u32 byte_of(u32 word, u32 byte) {
#ifdef __CUDACC__
    return __byte_perm(word, 0, 0x4440 | byte);
#else
    return word >> (8 * byte) & 0xff;
#endif
}

// The number of the highest bit of x, which is not 0.
DEVICE u32 highest(u32 x) {
#ifdef __CUDACC__
    return 31 - __clz(x);
#else
    return 31 - __builtin_clz(x);
#endif
}

DEVICE void add_to(u32* cell, u32 count) {
#ifdef __CUDACC__
    atomicAdd(cell, count);
#else
    *cell += count;
#endif
}

// Adds unless there is nothing to add.
DEVICE void add_some(u32* cell, u32 count) {
#ifdef __CUDACC__
    asm volatile("{ .reg .pred some; setp.ne.u32 some, %1, 0;"
                 "  @some red.shared.add.u32 [%0], %1; }" ::"r"((u32)__cvta_generic_to_shared(cell)),
                 "r"(count)
                 : "memory");
#else
    *cell += count;
#endif
}

// The bits of one word that are in neither of two others: one instruction. (The compiler would
// make two of it, and then others that could have done with one. In all of the steps it makes
// NVRTC 13.0 crash, so they have `free_squares`.)
DEVICE u32 open_and_free(u32 open, u32 one, u32 other) {
#ifdef __CUDACC__
    u32 result;
    asm volatile("lop3.b32 %0, %1, %2, %3, 0x10;" : "=r"(result) : "r"(open), "r"(one), "r"(other));
    return result;
#else
    return open & ~(one | other);
#endif
}

// A word and the bits in which two others differ: one instruction.
DEVICE u32 or_differing(u32 word, u32 one, u32 other) {
#ifdef __CUDACC__
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, 0xf6;" : "=r"(result) : "r"(word), "r"(one), "r"(other));
    return result;
#else
    return word | (one ^ other);
#endif
}

// The smaller of two numbers. (The compiler would take a comparison with 0 apart.)
DEVICE u32 smaller(u32 one, u32 other) {
#ifdef __CUDACC__
    asm("min.u32 %0, %0, %1;" : "+r"(one) : "r"(other));
    return one;
#else
    return one < other ? one : other;
#endif
}

// A number that the compiler keeps, and does not calculate again wherever it is used.
DEVICE u32 opaque(u32 number) {
#ifdef __CUDACC__
    asm volatile("" : "+r"(number));
#endif
    return number;
}

// Shifts by the number in the lowest five bits.
DEVICE u32 shifted_up(u32 x, u32 by) {
#ifdef __CUDACC__
    return __funnelshift_l(0, x, by);
#else
    return x << (by & 31);
#endif
}

DEVICE u32 shifted_down(u32 x, u32 by) {
#ifdef __CUDACC__
    return __funnelshift_r(x, 0, by);
#else
    return x >> (by & 31);
#endif
}

// Shared memory by number, where the place of something is the result of arithmetic: a number of
// 32 bits, and one instruction less than with pointers. On the CPU it is counted from a base.
DEVICE u32 number_of(const void* base, const void* place) {
#ifdef __CUDACC__
    (void)base;
    return (u32)__cvta_generic_to_shared(place);
#else
    return (u32)((const char*)place - (const char*)base);
#endif
}

// A number of type T.
template <class T>
DEVICE u32 read(const void* base, u32 place) {
#ifdef __CUDACC__
    (void)base;
    u32 value;
    if (sizeof(T) == 2) {
        asm volatile("{ .reg .u16 half; ld.shared.u16 half, [%1]; cvt.u32.u16 %0, half; }"
                     : "=r"(value) : "r"(place) : "memory");
    } else {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
    }
    return value;
#else
    return *reinterpret_cast<const T*>((const char*)base + place);
#endif
}

// Adds to a number and tells what it was before.
DEVICE u32 add(const void* base, u32 place, u32 count) {
    u32 before;
#ifdef __CUDACC__
    (void)base;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(place), "r"(count)
                 : "memory");
#else
    u32* cell = (u32*)((char*)base + place);
    before = *cell;
    *cell += count;
#endif
    return before;
}

// Reads where there is something to read, without a branch.
DEVICE void read_some(const void* base, bool some, u32 place, u32& first, u32& second) {
#ifdef __CUDACC__
    (void)base;
    asm volatile("{ .reg .pred some; setp.ne.u32 some, %2, 0;"
                 "  @some ld.shared.v2.u32 {%0, %1}, [%3]; }"
                 : "+r"(first), "+r"(second)
                 : "r"((u32)some), "r"(place)
                 : "memory");
#else
    if (some) {
        const u32* from = reinterpret_cast<const u32*>((const char*)base + place);
        first = from[0];
        second = from[1];
    }
#endif
}

// Writes where there is something to write, without a branch.
DEVICE void write_some(void* base, bool some, u32 place, u32 first, u32 second) {
#ifdef __CUDACC__
    (void)base;
    asm volatile("{ .reg .pred some; setp.ne.u32 some, %0, 0;"
                 "  @some st.shared.v2.u32 [%1], {%2, %3}; }" ::"r"((u32)some), "r"(place),
                 "r"(first), "r"(second)
                 : "memory");
#else
    if (some) {
        u32* to = reinterpret_cast<u32*>((char*)base + place);
        to[0] = first;
        to[1] = second;
    }
#endif
}

// One in the half of a word that is a list's narrow cell: rows of the tile begin with a word.
DEVICE u32 one_in_half(u32 list) {
    return 1u << (16 * (list % 2));
}

// Takes the next number from a counter.
DEVICE u32 take(u32* counter) {
#ifdef __CUDACC__
    return atomicAdd(counter, 1);
#else
    return (*counter)++;
#endif
}

// Adds what all lanes of a warp have to their sum.
DEVICE void add_warp(u64* sum, u64 value, u32 lane) {
#ifdef __CUDACC__
    for (u32 step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(~0u, value, step);
    }
    if (lane == 0) {
        *sum += value;
    }
#else
    (void)lane;
    *sum += value;
#endif
}

// The word whose bit k is `is(k)`, for the 32 lanes k of the warp; `lane` is the caller's.
template <class Is>
DEVICE u32 ballot(u32 lane, Is is) {
#ifdef __CUDACC__
    return __ballot_sync(~0u, is(lane));
#else
    u32 word = 0;
    for (u32 k = 0; k < 32; k++) {
        word |= (u32)is(k) << k;
    }
    return word;
#endif
}

// The word whose bit k is bit `lane` of `word_of(k)`, for the 32 lanes k of the warp.
template <class WordOf>
DEVICE u32 transposed(u32 lane, WordOf word_of) {
#ifdef __CUDACC__
    u32 word = word_of(lane), mask = 0x0000ffff;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // Lanes that differ in this bit exchange halves of `step` bits.
        u32 other = __shfl_xor_sync(~0u, word, step);
        word = lane & step ? (word & ~mask) | (other >> step & mask)
                           : (word & mask) | (other << step & ~mask);
        mask ^= mask << (step / 2);
    }
    return word;
#else
    u32 word = 0;
    for (u32 k = 0; k < 32; k++) {
        word |= (word_of(k) >> lane & 1) << k;
    }
    return word;
#endif
}

// A lane's two words of q's.
struct alignas(8) Words {
    u32 first, second;
};

DEVICE Words operator&(Words a, Words b) {
    return {a.first & b.first, a.second & b.second};
}

// The most that any of some pairs has.
DEVICE u32 most_of(const Pair* pairs, u32 number, u32 Pair::*what) {
    u32 most = 0;
    for (u32 p = 0; p < number; p++) {
        most = most < pairs[p].*what ? pairs[p].*what : most;
    }
    return most;
}

// What is scanned: a tree, and lists of q's.
struct Side {
    Tree tree;
    u32 lists;
    u32 ce_limit;                   // Ce's of any pair
};

// Where a block has what is left of its lists after so many levels of a stem.
DEVICE u64* sifted(const Batch& batch, u32 levels) {
    return batch.scratch + (u64)BLOCK * batch.scratch_room + (levels - 1) * batch.list_room;
}

DEVICE const u64* list_lines(const Batch& batch, u32 levels, const List& list) {
    return levels == 0 ? at_list<u64>(batch, list.from) : sifted(batch, levels) + list.room;
}

// Finds the lists of a job. STORES says for which colour.
template <bool STORES>
DEVICE Side begin_side(const Batch& batch, const Job& job, const Shared& shared) {
    const Pair* pairs = at<Pair>(batch, batch.pairs) + job.first_pair;
    Side side = {at<Tree>(batch, batch.trees)[STORES ? pairs[0].store_tree : pairs[0].gather_tree],
                 job.pairs * job.cos, most_of(pairs, job.pairs, &Pair::ce_limit)};
    BARRIER;
    EACH_THREAD {
        if (thread < side.lists) {
            const Pair& pair = pairs[thread / job.cos];
            u32 co = job.first_co + thread % job.cos;
            Queue queue = at<Queue>(batch, batch.queues)[STORES ? pair.store_queue
                                                                : pair.gather_queue];
            const u32* starts = at<u32>(batch, queue.starts);
            bool some = co < pair.co_limit;
            u32 start = some ? starts[co] : 0;
            shared.counts[thread] = some ? starts[co + 1] - start : 0;
            shared.lists[thread] = {queue.lines + start, 0,
                                    co < pair.last_co ? pair.weights : pair.rest_weights,
                                    some ? pair.ce_limit : 0};
        }
    }
    BARRIER;
    EACH_THREAD {
        if (thread < side.lists) {
            u32 room = 0;
            for (u32 other = 0; other < thread; other++) {
                room += shared.counts[other];
            }
            shared.lists[thread].room = room;
        }
    }
    BARRIER;
    return side;
}

// Sifts every list by one more square of the stem. A warp takes one list after the other.
DEVICE void sift_lists(const Batch& batch, const Side& side, u32 level, u64 taken,
                       const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    for (u32 l = thread / 32; l < side.lists; l += THREADS / 32) {
        List list = shared.lists[l];
        const u64* lines = list_lines(batch, level, list);
        u64* to = sifted(batch, level + 1) + list.room;
        u32 length = shared.counts[level * MOST_LISTS + l], count = 0;
        for (u32 f = 0; f < length; f += 32) {
            u64 own = f + lane < length ? lines[f + lane] : ~0ull;
            u32 word = ballot(lane, [&](u32 k) {
#ifdef __CUDACC__
                (void)k;
                return (own & taken) == 0;
#else
                return f + k < length && (lines[f + k] & taken) == 0;
#endif
            });
            if (word >> lane & 1) {
                to[count + lanes_before(word, lane)] = own;
            }
            count += population(word);
        }
        if (lane == 0) {
            shared.counts[(level + 1) * MOST_LISTS + l] = count;
        }
    }
}

// Cuts the lists into words of 32 q's. A lane has two: of two lists side by side, of which there
// is an even number, as long as both have some, and behind those what is left of the longer ones.
DEVICE void make_table(const Side& side, const u32* counts, const Shared& shared, u32 thread) {
    u32 twos = side.lists / 2, both = 0, before = 0, longer = 0;
    auto words_of = [&](u32 list) { return (counts[list] + 31) / 32; };
    auto fewer_of = [&](u32 two) {
        u32 one = words_of(2 * two), other = words_of(2 * two + 1);
        return one < other ? one : other;
    };
    if (thread < twos) {
        for (u32 two = 0; two < twos; two++) {
            u32 fewer = fewer_of(two);
            both += fewer;
            if (two < thread) {
                before += fewer;
                longer += words_of(2 * two) + words_of(2 * two + 1) - 2 * fewer;
            }
        }
        u32 one = words_of(2 * thread), other = words_of(2 * thread + 1), fewer = fewer_of(thread);
        for (u32 part = 0; part < fewer; part++) {
            u16* two = shared.table + 2 * (before + part);
            two[0] = (u16)(part << 6 | 2 * thread);
            two[1] = (u16)(part << 6 | (2 * thread + 1));
        }
        u32 list = 2 * thread + (one < other ? 1 : 0), words = one < other ? other : one;
        longer += 2 * both;
        for (u32 part = fewer; part < words; part++) {
            shared.table[longer++] = (u16)(part << 6 | list);
        }
        if (thread + 1 == twos) {
            *shared.words = longer;
        }
    }
}

// The planes of the lines of the words from `first` on, two for each lane. For one word, lane b
// gets the q's that use diagonal b and those that use anti-diagonal b. Bits that stand for no q
// use every line.
DEVICE void make_lines(const Batch& batch, u32 levels, u32 first, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, diagonals = batch.diagonals;
    for (u32 word = thread / 32; word < 2 * HALF; word += THREADS / 32) {
        u32 diag = ~0u, anti = ~0u;
        if (first + word < *shared.words) {
            u32 entry = shared.table[first + word], number = entry % 64;
            u32 start = entry / 64 * 32, length = shared.counts[levels * MOST_LISTS + number];
            const u64* lines = list_lines(batch, levels, shared.lists[number]);
            auto of = [&](u32 k) { return start + k < length ? lines[start + k] : ~0ull; };
#ifdef __CUDACC__
            u64 own = of(lane);
            diag = transposed(lane, [&](u32) { return (u32)own; });
            anti = transposed(lane, [&](u32) { return (u32)(own >> 32); });
#else
            diag = transposed(lane, [&](u32 k) { return (u32)of(k); });
            anti = transposed(lane, [&](u32 k) { return (u32)(of(k) >> 32); });
#endif
        }
        if (lane < diagonals) {
            u32* to = shared.lines + lane * LINE_STEP + word;
            to[0] = diag;
            to[diagonals * LINE_STEP] = anti;
        }
    }
}

// A lane's part of a plane.
DEVICE Words* plane(u32* planes, u32 number, u32 thread) {
    return reinterpret_cast<Words*>(planes + number * PLANE) + thread % HALF;
}

// The plane of each square below the stem, numbered from there: the q's that a queen there
// leaves alive. Every half of a warp makes planes of its own.
DEVICE void make_squares(const Batch& batch, const Tree& tree, const Shared& shared, u32 thread) {
    const u32* lines = shared.lines + thread % HALF * 2;
    u32 half = thread / HALF, left = tree.rows - tree.stem_rows;
    // A row is shared out among some halves.
    for (u32 row = half % 4; row < left; row += 4) {
        u64 of = at<u64>(batch, tree.squares)[(tree.stem_rows + row) * tree.cols];
        const u32* diag = lines + lowest((u32)of) * LINE_STEP;
        const u32* anti = lines + (batch.diagonals + lowest((u32)(of >> 32))) * LINE_STEP;
#pragma unroll 1
        for (u32 j = half / 4; j < tree.cols; j += THREADS / (4 * HALF)) {
            u32 at = j * LINE_STEP;
            *plane(shared.squares, row * tree.cols + j, thread) = {~(diag[at] | anti[at]),
                                                                  ~(diag[at + 1] | anti[at + 1])};
        }
    }
    if (tree.rows == 0 && thread < HALF) {
        // The empty placement attacks nothing; only bits of no q use every line.
        Words none = {~0u, ~0u};
        for (u32 line = 0; line < 2 * batch.diagonals; line++) {
            none = none & Words{lines[line * LINE_STEP], lines[line * LINE_STEP + 1]};
        }
        *plane(shared.squares, 0, thread) = {~none.first, ~none.second};
    }
}

// The planes of two squares together, for the last two rows and for the two before.
DEVICE void make_pairs(const Tree& tree, const Shared& shared, u32 thread) {
    u32 cols = tree.cols, left = tree.rows - tree.stem_rows;
    // A half of a warp takes half of the planes of one square at a time.
    for (u32 task = thread / HALF; task < 2 * tree.pairs * cols; task += THREADS / HALF) {
        // The planes of both pairs of rows stand in turn.
        u32 j = task / 2, before = j < cols ? 0 : 1, row = left - 2 - 2 * before;
        j -= before * cols;
        Words* to = plane(shared.pairs, j * cols * tree.pairs + before, thread);
        Words one = *plane(shared.squares, row * cols + j, thread);
        const Words* other = plane(shared.squares, (row + 1) * cols, thread);
        u32 middle = cols / 2, end = task % 2 == 0 ? middle : cols, step = tree.pairs * HALF;
#pragma unroll 4
        for (u32 k = task % 2 == 0 ? 0 : middle; k < end; k++) {
            to[k * step] = one & other[k * HALF];
        }
    }
}

struct alignas(16) Four {
    u32 of[4];
};

// A byte of a word times 256 and a number below that: one instruction.
template <u32 BYTE>
DEVICE u32 byte_and(u32 word, u32 low) {
#ifdef __CUDACC__
    return __byte_perm(word, low, 0x5504 | BYTE << 4);
#else
    return (word >> (8 * BYTE) & 0xff) << 8 | low;
#endif
}

// The planes that a placement names: one, two, squares only, a pair and two squares, two pairs,
// or two pairs and one.
enum Form { ONE, TWO, SQUARES, PAIR_AND_TWO, TWO_PAIRS, TWO_PAIRS_AND_ONE };

// Goes through a warp's share of the placements of a stem, two at a time, one for each half of
// the warp. A visitor is told, for some placements with the same Ce, how many q's of each of the
// lane's two words survive them.
template <Form FORM, class Visitor>
DEVICE void visit(const Side& side, const u32* placements, u32 begin, u32 end, const Shared& shared,
                  u32 thread, Visitor& visitor) {
    // A plane is 128 bytes, of which a lane has eight; where it begins, the number that names it
    // has seven bits behind it, or eight where those of two pairs stand in turn. (With pointers to
    // words in place of this, the compiler makes more instructions.)
    u32 lane = thread % HALF * sizeof(Words), cols = side.tree.cols;
    const char* squares = reinterpret_cast<const char*>(shared.squares);
    const char* pairs = reinterpret_cast<const char*>(shared.pairs);
    const char* low = side.tree.pairs > 0 ? pairs : squares;
    const char* second = squares + cols * (4 * PLANE);
    const char* third = second + cols * (4 * PLANE);
    auto words = [&](const char* planes, u32 place) {
        return *reinterpret_cast<const Words*>(planes + place);
    };
    auto square = [&](const char* planes, u32 place) {
        return words(planes, (place & 0x0780) | lane);
    };
    const bool BOTH = FORM == TWO_PAIRS || FORM == TWO_PAIRS_AND_ONE;
    bool three = side.tree.singles > 2;
    // What survives all squares but one that stands alone before two pairs.
    auto survivors = [&](u32 placement) {
        if (BOTH) {
            return words(pairs, byte_and<0>(placement, lane))
                   & words(pairs + 4 * PLANE, byte_and<1>(placement, lane));
        }
        if (FORM == SQUARES) {
            Words left = square(low, placement << 7) & square(second, placement << 3);
            return three ? left & square(third, placement >> 1) : left;
        }
        Words left = words(low, (placement << 7 & 0x7f80) | lane);
        if (FORM == TWO) {
            left = left & square(squares, placement >> 1);
        }
        if (FORM == PAIR_AND_TWO) {
            left = left & square(squares, placement >> 1) & square(second, placement >> 5);
        }
        return left;
    };
    const u32 SHIFT = FORM == TWO_PAIRS_AND_ONE ? 20 : 16;
    const u32 EACH = TOGETHER / 2;
    u32 limit = side.ce_limit << SHIFT, half = thread / HALF % 2;
    begin += thread / 32 * TOGETHER;
    const Four* from = reinterpret_cast<const Four*>(placements + begin + half * EACH);
    const u32 STEP = THREADS / 32 * TOGETHER;
    for (u32 i = begin; i < end; i += STEP, from += STEP / 4) {
        Four four[EACH / 4];
#pragma unroll
        for (u32 k = 0; k < EACH / 4; k++) {
            four[k] = from[k];
        }
        u32 last = four[0].of[0], before = last, first = 0, other = 0;
        if (last >= limit) {
            break;
        }
        Words single = {~0u, ~0u};
        if (FORM == TWO_PAIRS_AND_ONE) {
            single = square(squares, last >> 9);
        }
#pragma unroll
        for (u32 f = 0; f < EACH / 4; f++) {
            // Some planes are read at a time: no read is moved before a branch.
            Words left[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                left[k] = survivors(four[f].of[k]);
            }
            u32 firsts[4], others[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                // Placements with the same Ce are sorted by the square that stands alone.
                u32 placement = four[f].of[k];
                if (FORM == TWO_PAIRS_AND_ONE && f + k > 0) {
                    if ((placement ^ before) & 0xf0000) {
                        single = square(squares, placement >> 9);
                    }
                    before = placement;
                }
                Words all = left[k] & single;
                firsts[k] = population(all.first);
                others[k] = population(all.second);
            }
            // They are sorted by Ce, so that where the last has that of those before, all have.
            if ((four[f].of[3] ^ last) >> SHIFT == 0) {
                first += firsts[0] + firsts[1] + firsts[2] + firsts[3];
                other += others[0] + others[1] + others[2] + others[3];
                continue;
            }
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u32 placement = four[f].of[k];
                if ((placement ^ last) >> SHIFT != 0) {
                    visitor.visit(first, other, last >> SHIFT);
                    first = other = 0;
                    last = placement;
                }
                first += firsts[k];
                other += others[k];
            }
        }
        visitor.visit(first, other, last >> SHIFT);
    }
}

// The first level of stem `s` whose choice is not that of the stem before.
DEVICE u32 first_change(const Stem* stems, u32 s, u32 stem_rows) {
    return s == 0 || stem_rows == 0 ? 0 : lowest(stems[s].path ^ stems[s - 1].path) / 4;
}

// Scans one side of a job. Every thread has a visitor for the lists of its two words.
template <class Visitor>
DEVICE void scan(const Batch& batch, const Side& side, const Shared& shared) {
    const Tree& tree = side.tree;
    const Stem* stems = at<Stem>(batch, tree.stems);
    const u32* placements = at_list<u32>(batch, tree.placements);
    u32 top = tree.stem_rows;
    for (u32 s = 0; s < tree.stem_count; s++) {
        for (u32 level = first_change(stems, s, top); level < top; level++) {
            u64 taken = at<u64>(batch, tree.squares)[level * tree.cols
                                                     + (stems[s].path >> (4 * level) & 15)];
            EACH_THREAD { sift_lists(batch, side, level, taken, shared, thread); }
            BARRIER;
        }
        EACH_THREAD {
            make_table(side, shared.counts + top * MOST_LISTS, shared, thread);
        }
        BARRIER;
        for (u32 first = 0; first < *shared.words; first += PLANE) {
            EACH_THREAD { make_lines(batch, top, first, shared, thread); }
            BARRIER;
            EACH_THREAD { make_squares(batch, tree, shared, thread); }
            BARRIER;
            if (tree.pairs > 0) {
                EACH_THREAD { make_pairs(tree, shared, thread); }
                BARRIER;
            }
            EACH_THREAD {
                u32 begin = stems[s].first, end = stems[s + 1].first;
                // Words beyond the last are empty, whatever lists they are of.
                u32 place = first + thread % HALF * 2, words = *shared.words;
                Visitor visitor(batch, side, shared, place < words ? shared.table[place] % 64 : 0,
                                place + 1 < words ? shared.table[place + 1] % 64 : 0);
                if (tree.singles > 1 && tree.pairs == 0) {
                    visit<SQUARES>(side, placements, begin, end, shared, thread, visitor);
                } else if (tree.singles > 1) {
                    visit<PAIR_AND_TWO>(side, placements, begin, end, shared, thread, visitor);
                } else if (tree.pairs == 2 && tree.singles == 1) {
                    visit<TWO_PAIRS_AND_ONE>(side, placements, begin, end, shared, thread, visitor);
                } else if (tree.pairs == 2) {
                    visit<TWO_PAIRS>(side, placements, begin, end, shared, thread, visitor);
                } else if (tree.singles + tree.pairs > 1) {
                    visit<TWO>(side, placements, begin, end, shared, thread, visitor);
                } else {
                    visit<ONE>(side, placements, begin, end, shared, thread, visitor);
                }
                add_warp(&shared.sums[thread / 32], visitor.sum, thread % 32);
            }
            BARRIER;
        }
    }
}

// Adds up what the warps have summed, and begins anew.
DEVICE void add_up(const Shared& shared) {
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            u64 sum = 0;
            for (u32 warp = 0; warp < THREADS / 32; warp++) {
                sum += shared.sums[warp];
                shared.sums[warp] = 0;
            }
            *shared.total = sum;
        }
    }
    BARRIER;
}

// The rows of the tile. Placements that have none find or fill the last of so many.
template <class Cell>
struct Rows {
    char* tile;
    u32 bytes, last;                // of a row, and which is the last
    u64 sum;

    DEVICE Rows(const Batch& batch, const Shared& shared, u32 last)
        : tile(reinterpret_cast<char*>(shared.tile)), bytes(sizeof(Cell) << batch.width_bits),
          last(last), sum(0) {}

    DEVICE char* of(u32 ce) {
        return tile + (ce < last ? ce : last) * bytes;
    }
};

// Adds survivors to their cells; nothing is gathered from the last row.
template <class Cell>
struct Adder : Rows<Cell> {
    // Where in a row the words are that hold the lists' cells, and what survivors are multiplied
    // with to stand in the right half. Cells in the same word are added to at once.
    u32 place, other_place;
    u32 of_first, of_second, of_other;

    DEVICE Adder(const Batch& batch, const Side& side, const Shared& shared, u32 list, u32 other)
        : Rows<Cell>(batch, shared, side.ce_limit + 1), place(list / 2 * 4),
          other_place(other / 2 * 4), of_first(one_in_half(list)), of_second(0), of_other(0) {
        if (sizeof(Cell) != 2) {
            place = 4 * list;
            other_place = 4 * other;
        } else if (list / 2 == other / 2) {
            of_second = one_in_half(other);
        } else {
            of_other = one_in_half(other);
        }
    }

    DEVICE void visit(u32 first, u32 second, u32 ce) {
        char* row = this->of(ce);
        u32* at = reinterpret_cast<u32*>(row + place);
        u32* other = reinterpret_cast<u32*>(row + other_place);
        if (sizeof(Cell) == 2) {
            add_some(at, first * of_first + second * of_second);
            add_some(other, second * of_other);
            this->sum += first + second;
        } else {
            add_to(at, first);
            add_to(other, second);
        }
    }
};

// Sums up survivors times the numbers of their cells; the last row is 0.
template <class Cell>
struct Summer : Rows<Cell> {
    u32 list, other;

    DEVICE Summer(const Batch& batch, const Side& side, const Shared& shared, u32 list, u32 other)
        : Rows<Cell>(batch, shared, side.ce_limit), list(list), other(other) {}

    DEVICE void visit(u32 first, u32 second, u32 ce) {
        const Cell* row = reinterpret_cast<const Cell*>(this->of(ce));
        this->sum += (u64)first * row[list] + (u64)second * row[other];
    }
};

// Gathers by scanning, for a job of one pair.
template <class Cell>
DEVICE void gather(const Batch& batch, const Job& job, const Shared& shared) {
    Side side = begin_side<false>(batch, job, shared);
    scan<Summer<Cell>>(batch, side, shared);
}

// Unfolding: a warp chooses the first queens of p, finds the q's that they do not attack, and
// goes on with each of these by itself. An *item* is a q and the queens of p so far: the lines
// of both, the columns of p, and the free columns of the next row that have not been tried. A
// step takes 32 items with as many rows left; each lane places one queen, and keeps what comes
// of it unless a row is left without a free square. When two rows are left, which are not the
// same in all pairs of the job, the free squares of both are kept for every pair, and each lane
// goes through those of one item after the other. There is room for 64 items a level, and the
// deepest level that fills a warp goes first, so nothing overflows and few lanes idle. No warp
// waits for another before the job is done.
//
// What is gathered so is looked up in the tile; what is stored so is added to it.

// The mark of a Ce whose reverse is looked up.
#define TURNED 0x8000u

// The mark of items that count twice.
#define TWICE 0x8000u

// Room for items of one level, of which there are fewer, and for those with two rows left, to
// which fewer than a warp's worth another is added; the most rows that are left.
#define MOST_ITEMS 64
#define MOST_PILED 64
#ifndef MOST_LEFT
#define MOST_LEFT 9u
#endif

// Queens that come before the first level.
DEVICE u32 first_queens(const Batch& batch, u32 rows) {
    return rows > batch.first_queens + MOST_LEFT ? rows - MOST_LEFT : batch.first_queens;
}

// How many q's of the first queen's list a warp takes at a time, of so many in all: as few as fill
// it where there are no other queens to choose, and fewer where every warp takes once or twice, so
// that all get as much.
DEVICE u32 part_size(u32 queens, u32 number, u32 warps) {
    if (queens > 1) {
        return 16 * LANES;
    }
    u32 times = (number + warps * LANES - 1) / (warps * LANES);
    u32 size = times > 2 || times == 0 ? LANES : (number + times * warps - 1) / (times * warps);
    return size < LANES / 4 ? LANES / 4 : size;
}

// Where the size of a part stands, behind the lengths of the first queens' lists.
#define PART_SIZE 15

struct Items {
    u64 lines[MOST_ITEMS];
    u32 cols[MOST_ITEMS];           // columns of p, the mark, and above them those to be tried
};

// The stem whose items a warp makes: in memory, so that the steps have more registers.
struct Beginning {
    const u64* list;                // the q's that its first queen does not attack
    u32 start, end;                 // and which of them are still to come
    u32 cols;                       // its columns, and the mark
    u32 diag, anti;                 // its lines
    u32 others_diag, others_anti;   // those of its other queens
    u32 unused;
};

// A warp's own part of shared memory.
struct WarpMemory {
    Beginning beginning;
    // Free squares of the last two rows; columns of p, the mark, the list and the distance of
    // the rows.
    u64 pile[MOST_PILED];
    Items items[1];                 // with three rows left, and as many more as there are
};

// How far lines are shifted to get the columns that they attack in a row.
struct alignas(8) Shift {
    u32 diag, anti;
};

// The last two rows of a pair.
struct alignas(16) LastRows {
    Shift first, second;
    u32 id;                         // what the pair adds to that of an item
    u32 unused[3];
};

// The q's of a list stand there with the number of their list in the bits above their lines,
// where the batch has their Co.
DEVICE u64 with_list(u64 lines, u32 above, u32 less) {
    u32 diag = (u32)lines, anti = (u32)(lines >> 32);
    u32 list = (diag >> above | anti >> above << (32 - above)) - less;
    u32 bits = (1u << above) - 1;
    return (u64)((anti & bits) | list >> (32 - above) << above) << 32 | (diag & bits) | list << above;
}

template <class Cell, bool TURNS, bool STORES>
struct Unfold {
    static const u32 BYTES = sizeof(Cell);
    const Batch& batch;
    WarpMemory& memory;
    const u16* rows_of;             // where the row of a set of columns begins in the tile
    const Shift* shifts;            // for each row, counted from behind the last
    const LastRows* last_rows;      // for each pair
    u32 pairs;
    const void* memory_of_tile;
    u32 tile;                       // the number of the first cell
    u32 none;                       // where the row begins that stays 0
    u32 last_cols;
    u64 paired;                     // the lists whose Co stands beside its reverse: bits
    u32 all;                        // columns
    // How many items have 3 to 6 and 7 to 9 rows left: bytes.
    u32 deep = 0, high = 0;
    // The number of what comes behind the pile, and of what does when it fills a warp.
    u32 piled = 0, full = 0;
    // An item with two rows left, its columns still open, and the first pair for which it is
    // still to be piled.
    u32 diag = 0, anti = 0, id = 0, open = 0, pair = ~0u;
    // What the lane is at in the last two rows: squares that are free, those of the first that
    // have been tried taken out; the item's id; its columns and the queen in the first row; the
    // squares of the second row that go with it and are still to be tried.
    u32 free = 0, last_id = 0, cols = 0, seconds = 0;
    u64 sum = 0;
    // What was in the cells last added to, and in all before.
    u32 before = 0, also_before = 0, seen = 0;

    // The squares of a row in open columns that no line attacks.
    DEVICE u32 free_squares(Shift shift, u32 open, u32 diag, u32 anti) {
        return open & ~(diag >> shift.diag | anti >> shift.anti);
    }

    // How many items have so many rows left.
    DEVICE u32 count(u32 left) {
        return left < 7 ? byte_of(deep, left - 3) : byte_of(high, left - 7);
    }

    DEVICE void add_count(u32 left, u32 number) {
        if (left < 7) {
            deep += number << (8 * (left - 3));
        } else {
            high += number << (8 * (left - 7));
        }
    }

    DEVICE void push(u32 left, bool some, u32 diag, u32 anti, u32 cols) {
        u32 mask = BALLOT(some);
        Items& items = memory.items[left - 3];
        u32 place = count(left) + lanes_before(mask, LANE);
        if (some) {
            items.lines[place] = (u64)anti << 32 | diag;
            items.cols[place] = cols;
        }
        add_count(left, population(mask));
    }

    // Takes items with two rows left, to be piled for every pair.
    DEVICE void push_pairs(bool lives, u32 cols, u32 of_diag, u32 of_anti) {
        u32 above = batch.diagonals;
        u32 list = (of_diag >> above | of_anti >> above << (32 - above)) & (MOST_LISTS - 1);
        id = list * BYTES << 24 | cols;
        // No column is open where there is none.
        open = lives ? all & ~cols : 0;
        diag = of_diag;
        anti = of_anti;
        pair = 0;
    }

    // Piles those items for the next pair.
    DEVICE void pile_pair() {
        LastRows rows = last_rows[pair++];
        u32 first = open_and_free(open, diag >> rows.first.diag, anti >> rows.first.anti);
        u32 second = open_and_free(open, diag >> rows.second.diag, anti >> rows.second.anti);
        bool some = smaller(first, second) != 0;
        u32 mask = BALLOT(some);
        // If either row has one square only, that goes first.
        u32 both = second << 16 | first;
        if ((second & (second - 1)) == 0) {
            both = both << 16 | both >> 16;
        }
        write_some(&memory, some, piled + 8 * lanes_before(mask, LANE), both, id + rows.id);
        piled += 8 * population(mask);
    }

    // Places one queen of 32 items with so many rows left, or of fewer where they do not FILL the
    // warp; an item goes back if it has others to try.
    template <u32 LEFT, bool FILL>
    DEVICE void step() {
        const Items& items = memory.items[LEFT - 3];
        u32 in = count(LEFT), taken = FILL || in > LANES ? LANES : in;
        add_count(LEFT, 0 - taken);
        u64 lines = 0;
        u32 word = 0;
        if (FILL || LANE < taken) {
            lines = items.lines[in - taken + LANE];
            word = items.cols[in - taken + LANE];
        }
        u32 diag = (u32)lines, anti = (u32)(lines >> 32);
        // The lowest column to be tried is taken out.
        u32 others = word & (word - 0x10000), x = (word ^ others) >> 16, cols = (word & 0x7fff) | x;
        push(LEFT, others >= 0x10000, diag, anti, others);
        Shift shift = *(shifts - LEFT);
        diag |= x << shift.diag;
        anti |= x << shift.anti;
        bool lives = (FILL || x != 0) && cols <= last_cols;
        if (LEFT == 3) {
            push_pairs(lives, (word & TWICE) | cols, diag, anti);
        } else {
            u32 open = all & ~cols, next = free_squares(*(shifts - (LEFT - 1)), open, diag, anti);
            lives = lives && next != 0;
#pragma unroll
            for (u32 left = LEFT - 2; left > 2; left--) {
                lives = lives && free_squares(*(shifts - left), open, diag, anti) != 0;
            }
            push(LEFT - 1, lives, diag, anti, next << 16 | (word & TWICE) | cols);
            WARP_SYNC;
        }
    }

    // What two placements with these columns find. Those that have no cell find nothing. A row that
    // is that of the reverse of its columns is marked; `turned` is then the bit that tells the
    // lists of a Co and its reverse apart.
    DEVICE u64 find_cells(u32 one, u32 other) {
        u32 row = rows_of[one], other_row = rows_of[other];
        u32 list = last_id >> 24, of_list = tile + list;
        if (TURNS) {
            u32 turned = (u32)(paired >> list / BYTES) & 1;
            auto find = [&](u32 row) {
                u32 place = tile + (list ^ (row & turned) * BYTES);
                return read<Cell>(memory_of_tile, place + (row & ~1u) * BYTES);
            };
            return (u64)find(row) + find(other_row);
        }
        u32 found = read<Cell>(memory_of_tile, of_list + row * BYTES);
        u32 also = read<Cell>(memory_of_tile, of_list + other_row * BYTES);
        return (u64)found + also;
    }

    // Adds two placements with these columns to their cells, if they have any. All that was there
    // is seen before it could be too large: a narrow cell that has its highest bit is.
    DEVICE void add_cells(u32 one, u32 other) {
        u32 row = rows_of[one], other_row = rows_of[other], list = last_id >> 24;
        const bool NARROW = BYTES == 2;
        u32 of_list = NARROW ? (tile + list) & ~3u : tile + list;
        u32 added = NARROW && (last_id & 2 << 24) ? 0x10000 : 1;
        seen |= before | also_before;
        if (row != none) {
            before = add(memory_of_tile, of_list + row * BYTES, added);
        }
        if (other_row != none) {
            also_before = add(memory_of_tile, of_list + other_row * BYTES, added);
        }
    }

    // Whether the lane has been through all squares of its item. What remains of the second row
    // when no first square does is nothing.
    DEVICE bool done() {
        return ((free & 0xffff) | seconds) == 0;
    }

    // Goes on with the last two queens: every lane that is done with its item takes another, and
    // all go through two squares of the second row. ENOUGH says that there is an item for every
    // lane.
    template <bool ENOUGH>
    DEVICE void place_last() {
        bool takes = done();
        u32 mask = BALLOT(takes), number = population(mask);
        if (!ENOUGH) {
            u32 in = (piled + 8 * LANES - full) / 8;
            number = number < in ? number : in;
            free = takes ? 0 : free;
            last_id = takes ? 0 : last_id;
            takes = takes && lanes_before(mask, LANE) < in;
        }
        read_some(&memory, takes, piled - 8 - 8 * lanes_before(mask, LANE), free, last_id);
        piled -= 8 * number;
        // Where all squares of the second row have been tried, the next of the first.
        bool fresh = seconds == 0;
        u32 left = free & (free - (fresh ? 1 : 0)), x = free ^ left, distance = last_id >> 16;
        u32 attacked = x | shifted_up(x, distance) | shifted_down(x, distance);
        free = left;
        seconds = fresh ? left >> 16 & ~attacked : seconds;
        cols = fresh ? (last_id & 0x7fff) | x : cols;
        u32 without_one = seconds & (seconds - 1), without_two = without_one & (without_one - 1);
        u32 one = or_differing(cols, seconds, without_one);
        u32 other = or_differing(cols, without_one, without_two);
        seconds = without_two;
        // Where there is no such square, the columns are too few and have no Ce.
        if (STORES) {
            add_cells(one, other);
        } else {
            u64 found = find_cells(one, other);
            sum += TURNS && (last_id & TWICE) ? 2 * found : found;
        }
    }

    // Makes the next items of a stem; tells whether there will be more.
    DEVICE bool begin(u32 left) {
        Beginning of = memory.beginning;
        u32 start = of.start;
        u64 coming = start + LANE < of.end ? of.list[start + LANE] : ~0ull;
        do {
            // The next q's are on their way while these are worked on.
            u64 item = coming;
            start += LANES;
            coming = start + LANE < of.end ? of.list[start + LANE] : ~0ull;
            u32 of_diag = (u32)item, of_anti = (u32)(item >> 32);
            bool some = ((of_diag & of.others_diag) | (of_anti & of.others_anti)) == 0;
            of_diag |= of.diag;
            of_anti |= of.anti;
            if (left == 2) {
                push_pairs(some, of.cols, of_diag, of_anti);
                // All lanes have read where to begin.
                WARP_SYNC;
                break;
            }
            u32 next = free_squares(*(shifts - left), all & ~of.cols, of_diag, of_anti);
            push(left, some && next != 0, of_diag, of_anti, next << 16 | of.cols);
        } while (start < of.end && count(left) < LANES);
        memory.beginning.start = start;
        WARP_SYNC;
        return start < of.end;
    }

    // Takes stems and parts of the lists that their first queens leave until there are no more.
    // `ends` says how many parts there are up to each first queen, and `lengths` how many q's.
    // Where there are few for every warp, none takes another before it is done with what it has,
    // unless many are left: the others would wait for it.
    DEVICE void run(const Tree& tree, u32* next_part, u32 firsts, const u64* lists,
                    const u32* lengths, const u32* ends) {
        u32 rows = tree.rows, cols = tree.cols, queens = first_queens(batch, rows);
        u32 left = rows - queens, choices = 1;
        for (u32 row = 1; row < queens; row++) {
            choices *= cols;
        }
        bool begins = false, more = true;
        u32 warps = THREADS / 32, all_parts = ends[firsts - 1] * choices;
        u32 parts_left = all_parts > 4 * warps ? ~0u : all_parts;
        for (;;) {
            while (pair < pairs) {
                pile_pair();
                while (piled >= full) {
                    place_last<true>();
                }
            }
            // The deepest level that fills the warp goes first.
            if (deep & 0xe0) {
                step<3, true>();
                continue;
            }
            if (deep & 0xe000) {
                step<4, true>();
                continue;
            }
            if (deep & 0xe00000) {
                step<5, true>();
                continue;
            }
            if (deep & 0xe0000000) {
                step<6, true>();
                continue;
            }
            if (high & 0xe0e0e0) {
                if (high & 0xe0) {
                    step<7, true>();
                } else if (high & 0xe000) {
                    step<8, true>();
                } else {
                    step<9, true>();
                }
                continue;
            }
            if (begins) {
                begins = begin(left);
                continue;
            }
            bool empty = (deep | high) == 0;
            if (more && (empty || parts_left >= 2 * warps)) {
                u32 taken = 0;
                if (LANE == 0) {
                    taken = take(next_part);
                }
                taken = FIRST(taken);
                u32 part = taken / choices, choice = taken % choices;
                u32 before = BALLOT(LANE < firsts && ends[LANE < firsts ? LANE : 0] <= part);
                u32 j = population(before), share = choices;
                more = j < firsts;
                if (!more) {
                    continue;
                }
                parts_left = parts_left == ~0u ? ~0u : all_parts - 1 - taken;
                u32 size = lengths[PART_SIZE], start = (part - (j > 0 ? ends[j - 1] : 0)) * size;
                u32 end = start + size < lengths[j] ? start + size : lengths[j];
                Shift shift = *(shifts - rows);
                u32 set = 1u << j;
                u32 first_diag = set << shift.diag, first_anti = set << shift.anti;
                u32 others_diag = 0, others_anti = 0;
                bool some = true;
                for (u32 row = 1; row < queens; row++) {
                    choice %= share;
                    share /= cols;
                    u32 square = 1u << choice / share;
                    shift = *(shifts - rows + row);
                    some = some && (free_squares(shift, all & ~set, first_diag | others_diag,
                                                 first_anti | others_anti) & square) != 0;
                    set |= square;
                    others_diag |= square << shift.diag;
                    others_anti |= square << shift.anti;
                }
                begins = some && set <= last_cols;
                if (begins) {
                    u32 mark = TURNS && 2 * j + 1 != cols ? TWICE : 0;
                    memory.beginning = {lists + j * batch.list_room, start, end, set | mark,
                                        first_diag | others_diag, first_anti | others_anti,
                                        others_diag, others_anti, 0};
                }
                WARP_SYNC;
                continue;
            }
            if (empty) {
                break;
            }
            // In the end the level with the most rows left goes first, and what it gives fills
            // the others.
            switch (high != 0 ? 7 + highest(high) / 8 : 3 + highest(deep) / 8) {
            case 3: step<3, false>(); break;
            case 4: step<4, false>(); break;
            case 5: step<5, false>(); break;
            case 6: step<6, false>(); break;
            case 7: step<7, false>(); break;
            case 8: step<8, false>(); break;
            default: step<9, false>();
            }
        }
        // In the end some lanes have none.
        while (piled != full - 8 * LANES || BALLOT(!done()) != 0) {
            place_last<false>();
        }
    }
};

// Keeps of a list what a queen on these lines does not attack; returns its length.
DEVICE u32 sift(const Batch& batch, const u64* items, u32 length, u64 lines, u32 less, u64* to) {
    const u32 AT_ONCE = 4;
    u32 kept = 0;
    for (u32 start = 0; start < length; start += AT_ONCE * LANES) {
        u64 item[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            u32 at = start + k * LANES + LANE;
            item[k] = at < length ? items[at] : ~0ull;
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            // An item that is none has every line.
            bool keeps = (item[k] & lines) == 0;
            u32 mask = BALLOT(keeps);
            if (keeps) {
                to[kept + lanes_before(mask, LANE)] = with_list(item[k], batch.diagonals, less);
            }
            kept += population(mask);
        }
    }
    return kept;
}

// Stores or gathers by unfolding, all warps of the block.
template <class Cell, bool TURNS, bool STORES>
DEVICE void unfold(const Batch& batch, const Job& job, const Shared& shared) {
    const Pair* pairs = at<Pair>(batch, batch.pairs) + job.first_pair;
    Tree tree = at<Tree>(batch, batch.trees)[STORES ? pairs[0].store_tree : pairs[0].gather_tree];
    u32 cols = tree.cols, rows = tree.rows;
    // What is stored has the same rows for all pairs, and what gathers the same q's.
    u32 different_rows = STORES ? 1 : job.pairs, queues = STORES ? job.pairs : 1;
    u32 ce_limit = most_of(pairs, job.pairs, &Pair::ce_limit);
    u32 last_cols = most_of(pairs, job.pairs, &Pair::last_cols);
    // For odd n the first queen stays left of the middle, or in it.
    u32 firsts = TURNS ? (cols + 1) / 2 : cols;
    LastRows* last_rows = reinterpret_cast<LastRows*>(shared.unfold);
    Shift* shifts = reinterpret_cast<Shift*>(last_rows + MOST_PAIRS);
    u32* lengths = reinterpret_cast<u32*>(shifts + 16);
    u32* ends = lengths + 16;
    u32* rows_of = ends + 16;
    u32 table = ((1u << cols) + 1) / 2;
    u32 queens = first_queens(batch, rows), left = rows - queens;
    u32 warp_words = (sizeof(WarpMemory) + (left > 3 ? left - 3 : 0) * sizeof(Items)) / 8;
    u64* lists = batch.scratch + (u64)BLOCK * batch.scratch_room;
    // The lines of the first square of a row, and from there how far those of a set of columns
    // are shifted.
    auto first_square = [&](u32 p, u32 row) {
        return STORES ? at<u64>(batch, tree.squares)[row * cols]
                      : at<u64>(batch, pairs[p].gather_rows)[row];
    };
    auto shift_of = [&](u32 p, u32 row) {
        u64 lines = first_square(p, row);
        return Shift{lowest((u32)lines), lowest((u32)(lines >> 32))};
    };
    // Where the row of a Ce begins; the lowest bit is the mark.
    auto begins_at = [&](u32 ce) {
        u32 row = TURNS && ce != 0xffff ? ce & ~TURNED : ce;
        row = (row < ce_limit ? row : ce_limit) << batch.width_bits;
        return TURNS && ce >= TURNED ? row | 1 : row;
    };
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            shared.head[1] = shared.head[2] = 0;
        }
        const u32* from = at<u32>(batch, STORES ? batch.stored_ce_of : batch.ce_of);
        for (u32 two = thread; two < table; two += THREADS) {
            rows_of[two] = begins_at(from[two] & 0xffff) | begins_at(from[two] >> 16) << 16;
        }
        if (thread < rows) {
            shifts[thread] = shift_of(0, thread);
        }
        if (thread < different_rows) {
            Shift first = shift_of(thread, rows - 2), second = shift_of(thread, rows - 1);
            u32 distance = second.diag < first.diag ? first.diag - second.diag
                                                    : second.diag - first.diag;
            u32 list = thread * job.cos;
            last_rows[thread] = {first, second, list * (u32)sizeof(Cell) << 24 | distance << 16, {}};
        }
    }
    BARRIER;
    // What each first queen leaves.
    EACH_WARP {
        for (;;) {
            u32 taken = 0;
            if (LANE == 0) {
                taken = take(&shared.head[1]);
            }
            u32 j = FIRST(taken);
            if (j >= firsts) {
                break;
            }
            u64 first = first_square(0, 0);
            u64 lines = (u64)((u32)(first >> 32) << j) << 32 | (u32)first << j;
            u32 length = 0;
            for (u32 p = 0; p < queues; p++) {
                Queue queue = at<Queue>(batch, batch.queues)[STORES ? pairs[p].store_queue
                                                                    : pairs[p].gather_queue];
                u32 limit = STORES ? pairs[p].co_limit : most_of(pairs, job.pairs, &Pair::co_limit);
                u32 end = job.first_co + job.cos < limit ? job.first_co + job.cos : limit;
                if (end > job.first_co) {
                    const u32* starts = at<u32>(batch, queue.starts);
                    u32 start = starts[job.first_co];
                    const u64* items = at_list<u64>(batch, queue.lines) + start;
                    length += sift(batch, items, starts[end] - start, lines, job.first_co - p * job.cos,
                                   lists + j * batch.list_room + length);
                }
            }
            if (LANE == 0) {
                lengths[j] = length;
            }
        }
    };
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            u32 end = 0, number = 0;
            for (u32 j = 0; j < firsts; j++) {
                number += lengths[j];
            }
            u32 size = part_size(queens, number, THREADS / 32);
            for (u32 j = 0; j < firsts; j++) {
                end += (lengths[j] + size - 1) / size;
                ends[j] = end;
            }
            lengths[PART_SIZE] = size;
        }
    }
    BARRIER;
    EACH_WARP {
        u64* memory = reinterpret_cast<u64*>(rows_of + (table + 1) / 2 * 2) + warp * warp_words;
        u64 paired = 0;
        for (u32 list = 0; TURNS && list < job.pairs * job.cos; list++) {
            paired |= (u64)(job.first_co + list % job.cos < batch.co_pairs) << list;
        }
        Unfold<Cell, TURNS, STORES> own = {batch,
                                           *reinterpret_cast<WarpMemory*>(memory),
                                           reinterpret_cast<const u16*>(rows_of),
                                           shifts + rows,
                                           last_rows,
                                           different_rows,
                                           shared.tile,
                                           number_of(shared.tile, shared.tile),
                                           ce_limit << batch.width_bits,
                                           STORES ? (1u << cols) - 1 : last_cols,
                                           paired,
                                           (1u << cols) - 1};
        own.piled = number_of(memory, own.memory.pile);
        own.full = opaque(own.piled + 8 * LANES);
        own.run(tree, &shared.head[2], firsts, lists, lengths, ends);
        WARP_SYNC;
        u32 seen = own.before | own.also_before | own.seen;
        if (STORES && sizeof(Cell) == 2 && (seen & 0x80008000) != 0) {
            *batch.flag = TOO_LARGE;
        }
        add_warp(&shared.sums[warp], own.sum, LANE);
    };
}

// Fills the tile with the stored colour's counts times their weights.
template <class Cell, bool UNFOLDS>
DEVICE void store(const Batch& batch, const Job& job, const Shared& shared) {
    const bool NARROW = sizeof(Cell) == 2;
    u32 bits = batch.width_bits;
    Side side = begin_side<true>(batch, job, shared);
    // One row more than is filled stays 0, and the next is read only by the check for carries.
    u32 cells = (side.ce_limit + 2) << bits;
    EACH_THREAD {
        for (u32 word = thread; word < (NARROW ? cells / 2 : cells); word += THREADS) {
            shared.tile[word] = 0;
        }
    }
    BARRIER;
    bool unfolds = UNFOLDS && batch.stored_ce_of != 0;
    if (unfolds) {
        unfold<Cell, false, true>(batch, job, shared);
        BARRIER;
    } else {
        scan<Adder<Cell>>(batch, side, shared);
    }
    EACH_THREAD {
        Cell* tile = reinterpret_cast<Cell*>(shared.tile);
        u64 sum = 0;
        for (u32 cell = thread; cell < cells; cell += THREADS) {
            u32 ce = cell >> bits, list = cell & ((1u << bits) - 1);
            u32 value = tile[cell];
            sum += value;
            if (list < side.lists) {
                List of = shared.lists[list];
                value *= ce >= of.limit ? 0 : of.weights != 0 ? at<u8>(batch, of.weights)[ce] : 1;
            }
            if ((Cell)value != value) {
                *batch.flag = TOO_LARGE;
            }
            tile[cell] = (Cell)value;
        }
        add_warp(&shared.sums[thread / 32], NARROW && !unfolds ? 0 - sum : 0, thread % 32);
    }
    add_up(shared);
    EACH_THREAD {
        if (thread == 0 && *shared.total != 0) {
            *batch.flag = TOO_LARGE;
        }
    }
}

// How the host shares out the memory of a block; batch.rs says how many bytes.
template <class Cell>
DEVICE Shared share_out(const Batch& batch, u64* memory) {
    Shared shared;
    shared.lists = reinterpret_cast<List*>(memory);
    shared.sums = reinterpret_cast<u64*>(shared.lists + MOST_LISTS);
    shared.total = shared.sums + MOST_WARPS;
    shared.head = reinterpret_cast<u32*>(shared.total + 2);
    shared.words = shared.head + 3;
    shared.counts = shared.head + 4;
    shared.table = reinterpret_cast<u16*>(shared.counts + (1 + MOST_STEM_ROWS) * MOST_LISTS);
    shared.tile = reinterpret_cast<u32*>(shared.table + batch.table_room);
    u32 tile = ((batch.tile_rows + 2) << batch.width_bits) * sizeof(Cell) / 4;
    shared.squares = shared.tile + (tile + 3) / 4 * 4;
    shared.lines = shared.pairs = shared.squares + PLANE * batch.square_planes;
    shared.unfold = reinterpret_cast<u64*>(shared.squares);
    return shared;
}

// Every job of the launch that falls to this block.
template <class Cell, bool UNFOLDS, bool TURNS>
DEVICE void count_jobs(const Batch& batch, u64* memory) {
    Shared shared = share_out<Cell>(batch, memory);
    EACH_THREAD {
        if (thread < MOST_WARPS) {
            shared.sums[thread] = 0;
        }
    }
    for (;;) {
        EACH_THREAD {
            if (thread == 0) {
                shared.head[0] = batch.first_job + take(batch.next_job);
            }
        }
        BARRIER;
        u32 number = shared.head[0];
        if (number >= batch.job_end) {
            return;
        }
        Job job = at<Job>(batch, batch.jobs)[number];
        store<Cell, UNFOLDS>(batch, job, shared);
        if (UNFOLDS) {
            unfold<Cell, TURNS, false>(batch, job, shared);
        } else {
            gather<Cell>(batch, job, shared);
        }
        add_up(shared);
        EACH_THREAD {
            if (thread == 0) {
                batch.sums[number] = *shared.total;
            }
        }
        BARRIER;
    }
}

#ifdef __CUDACC__
extern __shared__ u64 shared_memory[];

#define COUNT(name, cell, unfolds, turns)                                                 \
    extern "C" __global__ void __launch_bounds__(1024) name(const Batch batch) {          \
        count_jobs<cell, unfolds, turns>(batch, shared_memory);                           \
    }
COUNT(scan_16, u16, false, false)
COUNT(scan_32, u32, false, false)
COUNT(unfold_16, u16, true, false)
COUNT(unfold_32, u32, true, false)
COUNT(unfold_odd_16, u16, true, true)
COUNT(unfold_odd_32, u32, true, true)
#endif
