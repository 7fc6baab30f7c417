// Two-colour counting on a GPU: the sum of black * white for pairs of row sets.
//
// A job is some pairs and some Co's, and the work of one block of threads. The colour with
// fewer queens is *stored* first: how many ways it has for each Ce and Co goes to a table in
// shared memory, the *tile*. Then the other colour *gathers* from the tile. Nothing else is
// kept: neither colour's counts ever leave the multiprocessor, only the job's sum does.
//
// Storing *scans*. One placement q of the one board is one bit. For every square of the other
// board there is a *plane*: the bits of those q's that a queen there does not attack. Each
// lane has two words of 32 q's, each of one Co, and a warp takes one p after the other with
// all its lanes together: two planes for two queens each and one for one, an AND of the three
// per word, and a population count. The p's are sorted by Ce, so several are counted before a
// cell is touched.
//
// Most q's die with the first queens of p. So the lists are *sifted* first: for every stem,
// the choices in all levels but the last four or five, only the q's that the stem does not
// attack are made into bits.
//
// Gathering scans too where many q's survive, with a product in place of the addition. Where
// few do, it *unfolds*: see there.
//
// No counter can overflow. With M the most placements of one Ce in the storing tree and Qs the
// most q's of one Co there, a count is at most M * Qs, and after weighing at most 4 times that.
// The host refuses a pair where that does not fit 32 bits, or where the sum of a job, at most
// 8 * T * Q times a cell for T placements of the gathering tree and Q q's of 64 Co's, does not
// fit 64. In a tile with cells of 16 bits the counts may not fit. Then a carry makes the sum of
// all cells smaller than the number of survivors that were added, and never larger, so
// comparing the two tells; the host then asks for a tile of 32-bit cells.
//
// Measured on an H200 (132 multiprocessors, driver 580.159.04, 2026-11-15) with 16 host cores:
// n = 20 in 0.069 s, 21 in 0.53, 22 in 1.72, 24 in 56.1 s; n = 26 from 200 random units in
// 2370 +- 90 s. By ncu, n = 22 takes 5.0 warp instructions per placement of either colour and
// issues in 70 % of the cycles. The largest classes of n = 24: c = 6, which scans on both
// sides, 3.9 and 65 %; c = 5, which unfolds, 4.2 and 73 %. The limit of scanning is shared
// memory: 18 instructions for a p and 64 words, but 24 cycles for its three planes of 256 bytes.
// Unfolding has no such limit; a step of 32 lanes is 70 to 95 instructions, of which a third
// moves items between levels. With 64 registers a thread there are 8 warps to a scheduler.
//
// Tried, in kernel seconds of n = 22 where no other is said:
// - Tables in global memory, filled by one kernel and gathered from by another: gathering by
//   scanning took 6.6 s, waiting at barriers; by sifting lists warp by warp at every level, for
//   up to 16 pairs together, 2.0 s and 0.7 s for the storing, with 10 instructions a placement.
// - The same sifting from a tile of one pair: 4.1 s, since a list is much too short for a warp
//   when it is of 64 Co's only.
// - Unfolding for one pair at a time 2.7 s, for two 2.1, for four 1.8 (kept). Items as four
//   64-bit numbers and one level for each of the last two rows: 2.8.
// - Scanning a tree of prefixes in place of a sorted row of placements: more than half of the
//   time went into prefixes. Four rows below a stem in place of five: the planes were rebuilt
//   too often, class c = 6 of n = 24 took 49 s and not 28. One Co for each lane and round, not
//   whatever words there are: half of the lanes had nothing.
// - Tiles of 32 lists in place of 64, for two blocks to a multiprocessor: 1.84 and not 1.80.
// - Gathering by scanning where 55 % of the rows have queens (c = 5 here): 2.6 and not 1.8
//   with the host's work; 54 % (c = 6 of n = 26): twice the time of unfolding; at 50 % (n = 20
//   and 24): a twentieth less, and kept there.
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
// say yes, and what the first lane has. Lanes read what others wrote only after WARP_SYNC.
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
    u32 last_co;                    // from here on a column set weighs 1
    u32 weights;                    // place of one byte per Ce
    u32 last_cols;                  // no set of columns above this, as a number, is visited
    u32 unused;
};

// The pairs of a job have the tree that stores and the queue that gathers in common, and the
// trees that gather differ in their last two rows only.
struct Job {
    u32 first_pair, pairs;
    u32 first_co, cos;
};

struct Batch {
    const u64* words;
    u64* sums;                      // one per job
    u64* scratch;                   // scratch_room words for each block
    u32* flag;                      // set where something does not fit
    u32* next_job;                  // how many jobs have been taken
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes;              // room for this many
    u32 tile_rows;                  // room for this many rows, and one more
    u32 width_bits;                 // of the length of a row
    u32 list_room;                  // the most q's of a job
    u32 scratch_room;
    u32 diagonals;                  // of either direction
    u32 ce_of;                      // place of the Ce of every set of columns
    u32 co_pairs;                   // Co's that stand beside theirs
    u32 table_room;                 // the most words of q's that are scanned, and some more
    u32 unused;
};

#define MOST_STEM_ROWS 4

// The most warps of a block.
#define MOST_WARPS 32

// The most lists of a job, one for each Co of each of its pairs.
#define MOST_LISTS 64

// The most pairs of a job.
#define MOST_PAIRS 4

// What the flag says: a cell does not fit its bits.
#define TOO_LARGE 1u

// The step from one plane of lines to the next: one more than a plane, so that a warp that
// writes 32 planes for one lane meets 32 banks.
#define LINE_STEP 33

// Placements of a stem are a multiple of this many.
#define TOGETHER 16

// One list of q's that is scanned: those of one Co, for one pair.
struct alignas(16) List {
    u32 from;           // place in the batch
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
    u16* table;         // which lists the words of q's are of, and which part of them
    u32* words;         // how many there are
    // For scanning. A plane is two words for each of the 32 lanes.
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

// What is scanned: a tree, and lists of q's.
struct Side {
    Tree tree;
    u32 lists;
    u32 ce_limit;                   // Ce's of any pair
};

// Where a block keeps what is left of its lists after so many levels of a stem.
DEVICE u64* kept(const Batch& batch, u32 levels) {
    return batch.scratch + (u64)BLOCK * batch.scratch_room + (levels - 1) * batch.list_room;
}

DEVICE const u64* list_lines(const Batch& batch, u32 levels, const List& list) {
    return levels == 0 ? batch.words + list.from : kept(batch, levels) + list.room;
}

// Finds the lists of a job. STORES says for which colour.
template <bool STORES>
DEVICE Side begin_side(const Batch& batch, const Job& job, const Shared& shared) {
    const Pair* pairs = at<Pair>(batch, batch.pairs) + job.first_pair;
    Side side = {at<Tree>(batch, batch.trees)[STORES ? pairs[0].store_tree : pairs[0].gather_tree],
                 job.pairs * job.cos, 0};
    for (u32 p = 0; p < job.pairs; p++) {
        side.ce_limit = side.ce_limit < pairs[p].ce_limit ? pairs[p].ce_limit : side.ce_limit;
    }
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
            shared.lists[thread] = {queue.lines + start, 0, co < pair.last_co ? pair.weights : 0,
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
        u64* to = kept(batch, level + 1) + list.room;
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

// Cuts the lists into words of 32 q's.
DEVICE void make_table(const Side& side, const u32* counts, const Shared& shared, u32 thread) {
    if (thread < side.lists) {
        u32 first = 0;
        for (u32 other = 0; other < thread; other++) {
            first += (counts[other] + 31) / 32;
        }
        u32 words = (counts[thread] + 31) / 32;
        for (u32 part = 0; part < words; part++) {
            shared.table[first + part] = (u16)(part << 6 | thread);
        }
        if (thread + 1 == side.lists) {
            *shared.words = first + words;
        }
    }
}

// The planes of the lines of the words from `first` on, two a lane. For one word, lane b gets
// the q's that use diagonal b and those that use anti-diagonal b. Bits that stand for no q use
// every line.
DEVICE void make_lines(const Batch& batch, u32 levels, u32 first, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, diagonals = batch.diagonals;
    for (u32 l = thread / 32; l < 64; l += THREADS / 32) {
        u32 diag = ~0u, anti = ~0u;
        if (first + l < *shared.words) {
            u32 entry = shared.table[first + l], number = entry % MOST_LISTS;
            u32 start = entry / MOST_LISTS * 32;
            const u64* lines = list_lines(batch, levels, shared.lists[number]) + start;
            u32 length = shared.counts[levels * MOST_LISTS + number] - start;
            auto of = [&](u32 k) { return k < length ? lines[k] : ~0ull; };
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
            u32* to = shared.lines + (l / 32 * 2 * diagonals + lane) * LINE_STEP + l % 32;
            to[0] = diag;
            to[diagonals * LINE_STEP] = anti;
        }
    }
}

DEVICE Words* plane(u32* planes, u32 number, u32 lane) {
    return reinterpret_cast<Words*>(planes) + number * 32 + lane;
}

// The plane of each square below the stem, numbered from there: the q's that a queen there
// leaves alive.
DEVICE void make_squares(const Batch& batch, const Tree& tree, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, step = 2 * batch.diagonals * LINE_STEP;
    const u32* lines = shared.lines + lane;
    u32 warp = thread / 32, left = tree.rows - tree.stem_rows;
    // A row is shared out among some warps.
    for (u32 row = warp % 4; row < left; row += 4) {
        u64 of = at<u64>(batch, tree.squares)[(tree.stem_rows + row) * tree.cols];
        const u32* diag = lines + lowest((u32)of) * LINE_STEP;
        const u32* anti = lines + (batch.diagonals + lowest((u32)(of >> 32))) * LINE_STEP;
        Words* to = plane(shared.squares, row * tree.cols, lane);
        for (u32 j = warp / 4; j < tree.cols; j += THREADS / 128) {
            u32 at = j * LINE_STEP;
            to[j * 32] = {~(diag[at] | anti[at]), ~(diag[step + at] | anti[step + at])};
        }
    }
    if (tree.rows == 0 && thread < 32) {
        // The empty placement attacks nothing; only bits of no q use every line.
        Words none = {~0u, ~0u};
        for (u32 line = 0; line < 2 * batch.diagonals; line++) {
            none = none & Words{lines[line * LINE_STEP], lines[step + line * LINE_STEP]};
        }
        *plane(shared.squares, 0, lane) = {~none.first, ~none.second};
    }
}

// The planes of two squares together, for the last two rows and, behind them, for the two
// before.
DEVICE void make_pairs(const Tree& tree, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, cols = tree.cols, left = tree.rows - tree.stem_rows;
    // A warp takes half of the planes of one square at a time.
    for (u32 half = thread / 32; half < 2 * tree.pairs * cols; half += THREADS / 32) {
        u32 j = half / 2, row = left - 2;
        Words* to = plane(shared.pairs, j * cols, lane);
        if (j >= cols) {
            j -= cols;
            row -= 2;
        }
        Words one = *plane(shared.squares, row * cols + j, lane);
        const Words* other = plane(shared.squares, (row + 1) * cols, lane);
        u32 middle = cols / 2, end = half % 2 == 0 ? middle : cols;
        for (u32 k = half % 2 == 0 ? 0 : middle; k < end; k++) {
            to[k * 32] = one & other[k * 32];
        }
    }
}

struct alignas(16) Four {
    u32 of[4];
};

// The planes that a placement names: one, two, squares only, a pair and two squares, or two
// pairs and one.
enum Form { ONE, TWO, SQUARES, PAIR_AND_TWO, TWO_PAIRS_AND_ONE };

// Visits a warp's share of the placements of a stem. at_run is given, for some placements with
// the same Ce, how many q's of each of the lane's two Co's survive them, as halves of a number.
template <Form FORM, class AtRun>
DEVICE void visit(const Side& side, const u32* placements, u32 begin, u32 end, const Shared& shared,
                  u32 thread, AtRun at_run) {
    // A plane is 256 bytes, so the byte that names it is the second byte of its place, and a
    // lane's part of it the first. (With pointers to words in place of this, the compiler made
    // a sixth more instructions.)
    u32 lane = thread % 32 * sizeof(Words), cols = side.tree.cols;
    const char* squares = reinterpret_cast<const char*>(shared.squares);
    const char* pairs = reinterpret_cast<const char*>(shared.pairs);
    const char* low = side.tree.pairs > 0 ? pairs : squares;
    const char* high = side.tree.pairs > 1 ? pairs + cols * cols * 256 : squares;
    const char* second = squares + cols * 256;
    auto words = [&](const char* planes, u32 place) {
        return *reinterpret_cast<const Words*>(planes + (place | lane));
    };
    const char* third = second + cols * 256;
    bool three = side.tree.singles > 2;
    auto survivors = [&](u32 placement) {
        Words left = words(low, placement << 8 & (FORM == SQUARES ? 0x0f00 : 0xff00));
        if (FORM == SQUARES) {
            left = left & words(second, placement << 4 & 0x0f00);
            left = three ? left & words(third, placement & 0x0f00) : left;
        }
        if (FORM == TWO || FORM == TWO_PAIRS_AND_ONE) {
            left = left & words(high, placement & 0xff00);
        }
        if (FORM == TWO_PAIRS_AND_ONE) {
            left = left & words(squares, placement >> 8 & 0x0f00);
        }
        if (FORM == PAIR_AND_TWO) {
            left = left & words(squares, placement & 0x0f00) & words(second, placement >> 4 & 0x0f00);
        }
        return population(left.second) << 16 | population(left.first);
    };
    const u32 SHIFT = FORM == TWO_PAIRS_AND_ONE ? 20 : 16;
    u32 limit = side.ce_limit << SHIFT;
    for (u32 i = begin + thread / 32 * TOGETHER; i < end; i += THREADS / 32 * TOGETHER) {
        const Four* from = reinterpret_cast<const Four*>(placements + i);
        Four four[TOGETHER / 4];
#pragma unroll
        for (u32 k = 0; k < TOGETHER / 4; k++) {
            four[k] = from[k];
        }
        u32 last = four[0].of[0], run = 0;
        if (last >= limit) {
            return;
        }
#pragma unroll
        for (u32 k = 0; k < TOGETHER; k++) {
            u32 placement = four[k / 4].of[k % 4];
            if ((placement ^ last) >> SHIFT != 0) {
                at_run(run, last >> SHIFT);
                if (placement >= limit) {
                    return;
                }
                run = 0;
                last = placement;
            }
            run += survivors(placement);
        }
        at_run(run, last >> SHIFT);
    }
}

// The first level of stem `s` whose choice is not that of the stem before.
DEVICE u32 first_change(const Stem* stems, u32 s, u32 stem_rows) {
    return s == 0 || stem_rows == 0 ? 0 : lowest(stems[s].path ^ stems[s - 1].path) / 4;
}

// Scans one side of a job. at_run is given what `visit` gives it, the lists of the lane's two
// words, and what the thread sums up.
template <class AtRun>
DEVICE void scan(const Batch& batch, const Side& side, const Shared& shared, AtRun at_run) {
    const Tree& tree = side.tree;
    const Stem* stems = at<Stem>(batch, tree.stems);
    const u32* placements = at<u32>(batch, tree.placements);
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
        for (u32 first = 0; first < *shared.words; first += 64) {
            EACH_THREAD { make_lines(batch, top, first, shared, thread); }
            BARRIER;
            EACH_THREAD { make_squares(batch, tree, shared, thread); }
            BARRIER;
            if (tree.pairs > 0) {
                EACH_THREAD { make_pairs(tree, shared, thread); }
                BARRIER;
            }
            EACH_THREAD {
                u64 sum = 0;
                u32 begin = stems[s].first, end = stems[s + 1].first;
                // Words beyond the last are empty, whatever list they are of.
                u32 place = first + thread % 32, words = *shared.words;
                u32 mine = place < words ? shared.table[place] % MOST_LISTS : 0;
                u32 other = place + 32 < words ? shared.table[place + 32] % MOST_LISTS : 0;
                auto at = [&](u32 run, u32 ce) { at_run(run, ce, mine, other, sum); };
                if (tree.singles > 1 && tree.pairs == 0) {
                    visit<SQUARES>(side, placements, begin, end, shared, thread, at);
                } else if (tree.singles > 1) {
                    visit<PAIR_AND_TWO>(side, placements, begin, end, shared, thread, at);
                } else if (tree.singles + tree.pairs > 2) {
                    visit<TWO_PAIRS_AND_ONE>(side, placements, begin, end, shared, thread, at);
                } else if (tree.singles + tree.pairs > 1) {
                    visit<TWO>(side, placements, begin, end, shared, thread, at);
                } else {
                    visit<ONE>(side, placements, begin, end, shared, thread, at);
                }
                add_warp(&shared.sums[thread / 32], sum, thread % 32);
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

// Fills the tile with the stored colour's counts times their weights.
template <class Cell>
DEVICE void store(const Batch& batch, const Job& job, const Shared& shared) {
    const bool NARROW = sizeof(Cell) == 2;
    u32 bits = batch.width_bits;
    Side side = begin_side<true>(batch, job, shared);
    // One row more than is filled stays 0.
    u32 cells = (side.ce_limit + 1) << bits;
    EACH_THREAD {
        for (u32 word = thread; word < (NARROW ? cells / 2 : cells); word += THREADS) {
            shared.tile[word] = 0;
        }
    }
    BARRIER;
    scan(batch, side, shared, [&](u32 run, u32 ce, u32 mine, u32 other, u64& sum) {
        u32 first = run & 0xffff, second = run >> 16;
        u32 cell = (ce << bits) + mine, cell_of_other = (ce << bits) + other;
        if (NARROW) {
            if (first != 0) {
                add_to(&shared.tile[cell / 2], first << (16 * (cell % 2)));
            }
            if (second != 0) {
                add_to(&shared.tile[cell_of_other / 2], second << (16 * (cell_of_other % 2)));
            }
            sum += first + second;
        } else {
            add_to(&shared.tile[cell], first);
            add_to(&shared.tile[cell_of_other], second);
        }
    });
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
        add_warp(&shared.sums[thread / 32], NARROW ? 0 - sum : 0, thread % 32);
    }
    add_up(shared);
    EACH_THREAD {
        if (thread == 0 && *shared.total != 0) {
            *batch.flag = TOO_LARGE;
        }
    }
}

// Gathers by scanning, for a job of one pair.
template <class Cell>
DEVICE void gather(const Batch& batch, const Job& job, const Shared& shared) {
    Side side = begin_side<false>(batch, job, shared);
    u32 bits = batch.width_bits;
    const Cell* tile = reinterpret_cast<const Cell*>(shared.tile);
    scan(batch, side, shared, [&](u32 run, u32 ce, u32 mine, u32 other, u64& sum) {
        sum += (u64)(run & 0xffff) * tile[(ce << bits) + mine];
        sum += (u64)(run >> 16) * tile[(ce << bits) + other];
    });
}

// Gathers by unfolding: a warp chooses the first queens of p, finds the q's that they do not
// attack, and goes on with each of these by itself. An *item* is a q and the queens of p so
// far: the lines of both, the columns of p, and the free columns of the next row that have not
// been tried. A step takes 32 items with as many rows left; each lane places one queen, and
// keeps what comes of it unless a row is left without a free square. When two rows are left,
// which are not the same in all pairs of the job, the free squares of both are kept for every
// pair. There is room for 64 items a level, and the deepest level that fills a warp goes first,
// so nothing overflows and few lanes idle. No warp waits for another before the job is done.

// The mark of a Ce whose reverse is looked up.
#define TURNED 0x8000u

// The mark of items that count twice.
#define TWICE 0x8000u

// Room for items of one level, of which there are fewer, and for those with two rows left; the
// most rows that are left.
#define MOST_ITEMS 64
#define MOST_PILED ((2 + MOST_PAIRS) * LANES)
#ifndef MOST_LEFT
#define MOST_LEFT 9u
#endif

// Queens that come before the first level.
DEVICE u32 first_queens(u32 rows) {
    return rows < 2 + MOST_LEFT ? 2 : rows - MOST_LEFT;
}

struct Items {
    u64 lines[MOST_ITEMS];
    u32 cols[MOST_ITEMS];           // columns of p, the mark, and above them those to be tried
};

// The stem whose items a warp makes: in memory, so that the steps have more registers.
struct Beginning {
    const u64* list;                // the q's that its first queen does not attack
    u32 start, length;              // and which of them are still to come
    u32 cols;                       // its columns, and the mark
    u32 diag, anti;                 // its lines
    u32 others_diag, others_anti;   // those of its other queens
    u32 unused;
};

// A warp's own part of shared memory.
struct WarpMemory {
    Beginning beginning;
    // Free squares of the last two rows; columns of p, the mark, the list and the distance of
    // the rows. Fewer than a warp's worth when a step adds one for each pair; and in the last
    // steps those with one first square left stand above the others, at most a warp's worth,
    // and each of the others leaves at most one of its kind.
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

template <class Cell, bool TURNS>
struct Unfold {
    const Batch& batch;
    const Tree& tree;
    WarpMemory& memory;
    const u16* ce_of;               // in shared memory
    const Shift* shifts;            // for each row, counted from behind the last
    const LastRows* last_rows;      // for each pair
    u32 pairs;
    const Cell* tile;
    u32 ce_limit, last_cols, first_co;
    u64 paired;                     // the lists whose Co stands beside its reverse: bits
    u32 all;                        // columns
    u32 deep, high;                 // how many items have 2 to 5 and 6 to 9 rows left: bytes
    u64 sum;

    DEVICE u32 free_squares(Shift shift, u32 cols, u32 diag, u32 anti) {
        return all & ~(cols | diag >> shift.diag | anti >> shift.anti);
    }

    // How many items have so many rows left.
    DEVICE u32 count(u32 left) {
        return (left < 6 ? deep >> (8 * (left - 2)) : high >> (8 * (left - 6))) & 0xff;
    }

    DEVICE void add_count(u32 left, u32 number) {
        if (left < 6) {
            deep += number << (8 * (left - 2));
        } else {
            high += number << (8 * (left - 6));
        }
    }

    DEVICE void push(u32 left, bool some, u32 diag, u32 anti, u32 cols) {
        u32 mask = BALLOT(some);
        Items& items = memory.items[left - 3];
        // What is none goes where nothing is.
        u32 place = some ? count(left) + lanes_before(mask, LANE) : MOST_ITEMS - 1;
        items.lines[place] = (u64)anti << 32 | diag;
        items.cols[place] = cols;
        add_count(left, population(mask));
    }

    DEVICE void push_last(u32 first, u32 second, u32 id) {
        bool some = first != 0 && second != 0;
        u32 mask = BALLOT(some);
        u32 place = some ? (deep & 0xff) + lanes_before(mask, LANE) : MOST_PILED - 1;
        memory.pile[place] = (u64)id << 32 | second << 16 | first;
        deep += population(mask);
    }

    // Pushes items with two rows left, for every pair.
    DEVICE void push_pairs(bool lives, u32 cols, u32 diag, u32 anti) {
        u32 above = batch.diagonals, columns = cols & 0x7fff;
        u32 co = (diag >> above | anti >> above << (32 - above)) - first_co;
        // There is room for at least so many bits of it.
        u32 id = (co & (above < 30 ? MOST_LISTS - 1 : 15)) << 16 | cols;
        for (u32 p = 0; p < pairs; p++) {
            LastRows rows = last_rows[p];
            u32 first = free_squares(rows.first, columns, diag, anti);
            u32 second = free_squares(rows.second, columns, diag, anti);
            push_last(lives ? first : 0, second, id + rows.id);
        }
    }

    // Places one queen of up to 32 items with so many rows left; an item goes back if it has
    // others to try.
    template <u32 LEFT>
    DEVICE void step() {
        const Items& items = memory.items[LEFT - 3];
        u32 in = count(LEFT), taken = in < LANES ? in : LANES;
        add_count(LEFT, 0 - taken);
        u64 lines = 0;
        u32 word = 0;
        if (LANE < taken) {
            lines = items.lines[in - taken + LANE];
            word = items.cols[in - taken + LANE];
        }
        WARP_SYNC;
        u32 diag = (u32)lines, anti = (u32)(lines >> 32);
        u32 columns = word >> 16, x = columns & (0 - columns), cols = (word & 0x7fff) | x;
        push(LEFT, columns != x, diag, anti, (word & 0xffff) | (columns ^ x) << 16);
        Shift shift = *(shifts - LEFT);
        diag |= x << shift.diag;
        anti |= x << shift.anti;
        bool lives = x != 0 && cols <= last_cols;
        if (LEFT == 3) {
            push_pairs(lives, (word & TWICE) | cols, diag, anti);
        } else {
            u32 next = free_squares(*(shifts - (LEFT - 1)), cols, diag, anti);
            lives = lives && next != 0;
#pragma unroll
            for (u32 left = LEFT - 2; left > 2; left--) {
                lives = lives && free_squares(*(shifts - left), cols, diag, anti) != 0;
            }
            push(LEFT - 1, lives, diag, anti, next << 16 | (word & TWICE) | cols);
        }
        WARP_SYNC;
    }

    // The cell of the placement with these columns, or one that is 0.
    DEVICE u32 look_up(u32 cols, u32 id) {
        u32 ce = ce_of[cols], list = id >> 16 & (MOST_LISTS - 1);
        u32 row = TURNS ? ce & ~TURNED : ce;
        row = row < ce_limit ? row : ce_limit;
        if (TURNS) {
            list ^= ce >= TURNED ? (u32)(paired >> list) & 1 : 0;
        }
        return tile[(row << batch.width_bits) + list];
    }

    // Places the last two queens of up to 32 items, twice where the second row has two squares
    // left; what they have beside goes back, more squares of the first row below more squares
    // of the second.
    DEVICE void last_step() {
        u32 in = deep & 0xff, taken = in < LANES ? in : LANES;
        deep -= taken;
        u64 entry = LANE < taken ? memory.pile[in - taken + LANE] : 0;
        WARP_SYNC;
        u32 free = (u32)entry, id = (u32)(entry >> 32), distance = id >> 24;
        u32 first = free & 0xffff, second = free >> 16;
        u32 x = first & (0 - first);
        u32 seconds = second & ~(x | x << distance | x >> distance);
        u32 y = seconds & (0 - seconds), rest = seconds ^ y, z = rest & (0 - rest);
        u32 cols = (id & 0x7fff) | x;
        // Where there is no y or z, the columns are too few and have no Ce.
        u32 cells = look_up(cols | y, id) + look_up(cols | z, id);
        sum += TURNS && (id & TWICE) ? 2ull * cells : cells;
        push_last(first ^ x, second, id);
        push_last(x, rest ^ z, id);
        WARP_SYNC;
    }

    // Makes the next items of a stem; tells whether there will be more.
    DEVICE bool begin(u32 left) {
        Beginning of = memory.beginning;
        u32 start = of.start;
        u64 coming = start + LANE < of.length ? of.list[start + LANE] : ~0ull;
        do {
            // The next q's are on their way while these are worked on.
            u64 item = coming;
            start += LANES;
            coming = start + LANE < of.length ? of.list[start + LANE] : ~0ull;
            u32 of_diag = (u32)item, of_anti = (u32)(item >> 32);
            bool some = ((of_diag & of.others_diag) | (of_anti & of.others_anti)) == 0;
            of_diag |= of.diag;
            of_anti |= of.anti;
            if (left == 2) {
                push_pairs(some, of.cols, of_diag, of_anti);
            } else {
                u32 next = free_squares(*(shifts - left), of.cols & 0x7fff, of_diag, of_anti);
                push(left, some && next != 0, of_diag, of_anti, next << 16 | of.cols);
            }
        } while (start < of.length && count(left) < LANES);
        memory.beginning.start = start;
        WARP_SYNC;
        return start < of.length;
    }

    // Takes stems from the block until there are no more; `lists` are what the first queens
    // leave, and `lengths` how much of it there is.
    DEVICE void run(u32* next_stem, u32 firsts, const u64* lists, const u32* lengths) {
        u32 rows = tree.rows, cols = tree.cols, queens = first_queens(rows);
        u32 left = rows - queens, stems = firsts;
        for (u32 row = 1; row < queens; row++) {
            stems *= cols;
        }
        bool begins = false, more = true;
        // A level goes next where it has at least so many items: a bit of these.
        u32 of_deep = 0xe0e0e0e0, of_high = 0xe0e0e0e0;
        for (;;) {
            if (deep & of_deep & 0xff) {
                last_step();
                continue;
            }
            if (deep & of_deep & 0xff00) {
                step<3>();
                continue;
            }
            if (deep & of_deep & 0xff0000) {
                step<4>();
                continue;
            }
            if (deep & of_deep & 0xff000000) {
                step<5>();
                continue;
            }
            if (high & of_high) {
                if (high & of_high & 0xff) {
                    step<6>();
                } else if (high & of_high & 0xff00) {
                    step<7>();
                } else if (high & of_high & 0xff0000) {
                    step<8>();
                } else {
                    step<9>();
                }
                continue;
            }
            if (begins) {
                begins = begin(left);
                continue;
            }
            if (more) {
                u32 taken = 0;
                if (LANE == 0) {
                    taken = take(next_stem);
                }
                u32 stem = FIRST(taken);
                more = stem < stems;
                if (!more) {
                    continue;
                }
                u32 share = stems / firsts, j = stem / share;
                Shift shift = *(shifts - rows);
                u32 set = 1u << j;
                u32 first_diag = set << shift.diag, first_anti = set << shift.anti;
                u32 others_diag = 0, others_anti = 0;
                bool some = true;
                for (u32 row = 1; row < queens; row++) {
                    stem %= share;
                    share /= cols;
                    u32 square = 1u << stem / share;
                    shift = *(shifts - rows + row);
                    some = some && (free_squares(shift, set, first_diag | others_diag,
                                                 first_anti | others_anti) & square) != 0;
                    set |= square;
                    others_diag |= square << shift.diag;
                    others_anti |= square << shift.anti;
                }
                begins = some && set <= last_cols && lengths[j] > 0;
                if (begins) {
                    u32 mark = TURNS && 2 * j + 1 != cols ? TWICE : 0;
                    memory.beginning = {lists + j * batch.list_room, 0, lengths[j], set | mark,
                                        first_diag | others_diag, first_anti | others_anti,
                                        others_diag, others_anti, 0};
                }
                WARP_SYNC;
                continue;
            }
            if ((deep | high) == 0) {
                break;
            }
            // In the end the level with the most rows left goes first, and what it gives fills
            // the others.
            of_high = high == 0 ? 0xe0e0e0e0 : 0xe0e0e0e0 | 0xffu << highest(high) / 8 * 8;
            of_deep = high != 0 || deep == 0 ? 0xe0e0e0e0 : 0xe0e0e0e0 | 0xffu << highest(deep) / 8 * 8;
        }
    }
};

// Keeps of a list what a queen on these lines does not attack; returns its length.
DEVICE u32 sift(const u64* items, u32 length, u64 lines, u64* to) {
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
                to[kept + lanes_before(mask, LANE)] = item[k];
            }
            kept += population(mask);
        }
    }
    return kept;
}

// Gathers by unfolding, all warps of the block.
template <class Cell, bool TURNS>
DEVICE void unfold(const Batch& batch, const Job& job, const Shared& shared) {
    const Pair* pairs = at<Pair>(batch, batch.pairs) + job.first_pair;
    Tree tree = at<Tree>(batch, batch.trees)[pairs[0].gather_tree];
    Queue queue = at<Queue>(batch, batch.queues)[pairs[0].gather_queue];
    u32 cols = tree.cols, rows = tree.rows;
    u32 ce_limit = 0, co_limit = 0, last_cols = 0;
    for (u32 p = 0; p < job.pairs; p++) {
        ce_limit = ce_limit < pairs[p].ce_limit ? pairs[p].ce_limit : ce_limit;
        co_limit = co_limit < pairs[p].co_limit ? pairs[p].co_limit : co_limit;
        last_cols = last_cols < pairs[p].last_cols ? pairs[p].last_cols : last_cols;
    }
    const u32* starts = at<u32>(batch, queue.starts) + job.first_co;
    u32 cos = co_limit - job.first_co < job.cos ? co_limit - job.first_co : job.cos;
    // For odd n the first queen stays left of the middle, or in it.
    u32 firsts = TURNS ? (cols + 1) / 2 : cols;
    LastRows* last_rows = reinterpret_cast<LastRows*>(shared.unfold);
    Shift* shifts = reinterpret_cast<Shift*>(last_rows + MOST_PAIRS);
    u32* lengths = reinterpret_cast<u32*>(shifts + 16);
    u64* ce_of = reinterpret_cast<u64*>(lengths + 16);
    u32 table = ((1u << cols) + 3) / 4;
    u32 left = rows - first_queens(rows);
    u32 warp_words = (sizeof(WarpMemory) + (left > 3 ? left - 3 : 0) * sizeof(Items)) / 8;
    u64* lists = batch.scratch + (u64)BLOCK * batch.scratch_room;
    auto shift_of = [&](u32 p, u32 row) {
        u64 lines = at<u64>(batch, at<Tree>(batch, batch.trees)[pairs[p].gather_tree].squares)[row * cols];
        return Shift{lowest((u32)lines), lowest((u32)(lines >> 32))};
    };
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            shared.head[1] = shared.head[2] = 0;
        }
        const u64* from = at<u64>(batch, batch.ce_of);
        for (u32 word = thread; word < table; word += THREADS) {
            ce_of[word] = from[word];
        }
        if (thread < rows) {
            shifts[thread] = shift_of(0, thread);
        }
        if (thread < job.pairs) {
            Shift first = shift_of(thread, rows - 2), second = shift_of(thread, rows - 1);
            last_rows[thread] = {first, second,
                                 (second.diag - first.diag) << 24 | (thread * job.cos) << 16, {}};
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
            u64 lines = at<u64>(batch, tree.squares)[j];
            u32 length = sift(at<u64>(batch, queue.lines) + starts[0], starts[cos] - starts[0], lines,
                              lists + j * batch.list_room);
            if (LANE == 0) {
                lengths[j] = length;
            }
        }
    };
    BARRIER;
    EACH_WARP {
        u64* memory = ce_of + table + warp * warp_words;
        u64 paired = 0;
        for (u32 list = 0; TURNS && list < job.pairs * job.cos; list++) {
            paired |= (u64)(job.first_co + list % job.cos < batch.co_pairs) << list;
        }
        Unfold<Cell, TURNS> own = {batch, tree, *reinterpret_cast<WarpMemory*>(memory),
                                   reinterpret_cast<const u16*>(ce_of), shifts + rows, last_rows,
                                   job.pairs, reinterpret_cast<const Cell*>(shared.tile), ce_limit,
                                   last_cols, job.first_co, paired, (1u << cols) - 1, 0, 0, 0};
        own.run(&shared.head[2], firsts, lists, lengths);
        WARP_SYNC;
        add_warp(&shared.sums[warp], own.sum, LANE);
    };
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
    u32 tile = ((batch.tile_rows + 1) << batch.width_bits) * sizeof(Cell) / 4;
    shared.squares = shared.tile + (tile + 3) / 4 * 4;
    shared.lines = shared.pairs = shared.squares + 64 * batch.square_planes;
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
        store<Cell>(batch, job, shared);
        if (UNFOLDS) {
            unfold<Cell, TURNS>(batch, job, shared);
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
