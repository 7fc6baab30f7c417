// Two-colour counting on a GPU: the sum of black * white for pairs of row sets.
//
// One placement q of the scanned board is one bit. For every square of the walked board there
// is a *plane*: the bits of those q's that a queen on that square does not attack, 32 bits a
// lane. A warp walks the tree of p's with all its lanes together: one AND per queen, one more
// for the two last queens together. Nothing diverges until the survivors are counted.
//
// The colour with fewer queens is *stored* first (store_job): its counts by (Ce, Co) go to a
// table. Survivors are many, so lane l has the q's of the l-th of 32 Co's, and a population
// count gives 32 cells of the table at once.
//
// The other colour *gathers* (gather_job). Survivors are few, 0.1 % of the q's, so the q's
// stand in the bits as they come, whatever their Co, and every surviving bit looks up its
// cell of the table. One block gathers for several pairs that share their q's.
//
// Most q's die with the first queens of p. So the lists are *sifted* first: for every stem,
// the choices in the first levels of the tree, only the q's that the stem does not attack are
// made into bits. A level keeps about a third, and the host chooses the number of levels.
//
// No counter can overflow. With T ends in the gathering tree, M the most ends of one Ce in the
// storing tree, Qs the most q's of one Co there and Q all q's of the gathering side, a cell of
// the table is at most 4 * M * Qs, and the sum of a pair at most T * Q * 4 * M * Qs. The host
// refuses a pair where the first does not fit 32 bits or the second 64; a filtering job sums
// up to 16 pairs with weights up to 4, and so is allowed a 64th of that. A table of 16-bit
// cells says when a cell does not fit, and the host then asks for one of 32 bits.
//
// Measured on an H200 (driver 580.159.04, 2026-11-15, before units were cut anew), lists prepared
// by 16 host cores: n = 20 in 0.43 s, n = 21 in 3.0 s, n = 22 in 6.5 to 7.7 s, n = 24 in 239 s. ncu: the storing kernel
// issues in 65 % of the cycles, the gathering one in 16 % (few, long blocks) to 54 %; its warps
// then wait mostly at barriers (a stem of one pair is too little work for 16 warps) and for
// cells of the table. Tried: everything by Co, 32 Co's a block, as the storing kernel does:
// n = 22 in 9.7 s, because 0.1 survivors per lane and end leave nearly all lanes idle;
// gathering with one bit loop per word instead of all words together: 7.0 s; 4, 2 and 1 words
// per lane: n = 22 in 6.5, 7.5 and 8.8 s, the balanced class of n = 24 in 184, 127 and 164 s.
//
// The same text runs on the CPU, for tests: EACH_THREAD is a thread's own life on the GPU and
// a loop over all threads of the block elsewhere, so threads may talk only through memory and
// only across a BARRIER. In EACH_WARP the lanes of one warp may also talk by BALLOT and FIRST.

#ifdef __CUDACC__
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define DEVICE __device__ __forceinline__
#define EACH_THREAD for (u32 thread = threadIdx.x, once = 1; once; once = 0)
#define EACH_WARP for (u32 warp = threadIdx.x / 32, once = 1; once; once = 0)
#define BARRIER __syncthreads()
#define THREADS blockDim.x
#define BLOCK blockIdx.x
#define BLOCKS gridDim.x
// True in all lanes of a warp where it is true in one.
#define ANY_LANE(x) __any_sync(~0u, (x))
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

struct alignas(16) Prefix {
    u64 path;       // the column of each level, four bits a level
    u32 first_end;
    u16 ends;
    u16 from;       // the first level that differs from the prefix before
};

struct Tree {
    u32 squares, prefixes, ends;    // places
    u32 stems;                      // place of the stems, one more than there are
    u32 stem_count;
    u32 stem_rows;                  // levels of a stem
    u32 rows, end_rows, cols;
    u32 pairs;                      // place of each end's two squares below the stem
    u32 pair_count;
    u32 unused;
};

struct Stem {
    u32 path;           // the column of each of its levels, four bits a level
    u32 first_prefix;
};

struct Queue {
    u32 lines, starts, cos;         // places
    u32 unused;
};

struct Pair {
    u32 store_tree, store_queue, gather_tree;   // numbers
    u32 table_rows, table_cols;     // Ce's of the trees, and Co's with some room
    u32 ce_limit, co_limit;         // how many of each are visited
    u32 last_co;                    // from here on a column set weighs 1
    u32 weights;                    // place of one byte per Ce
    u32 unused;
    u64 table;                      // its first cell
};

struct StoreJob {
    u32 pair, first_co;
};

struct GatherJob {
    u32 queue;                      // number
    u32 first_co, last_co;          // its part of the queue
    u32 first_pair, pairs;
    u32 first_sum;                  // where the pairs' sums go
    u32 column;                     // of the first level of its stems
    u32 unused;
};

// A pair as the filter sees it. The brief is what unfolding needs, in one load.
struct alignas(16) Brief {
    u32 table;                      // its first cell
    u16 table_rows, table_cols;
    u16 weight;                     // how many row sets it stands for
    u16 distance;                   // between the two last rows
    // How far lines are shifted to get the columns they attack in the last rows: diagonals
    // and anti-diagonals of the one, then of the other, a byte each.
    u32 shifts;
};

struct alignas(16) FilterPair {
    Brief brief;
    u32 last_cols;                  // no set of columns above this, as a number, is visited
    u32 unused[3];
    unsigned char diag[16], anti[16];   // the shifts of every level
};

struct FilterJob {
    u32 items;                      // place
    u32 count;
    u32 first_pair, pairs;          // all with the same rows in the levels below
    u32 levels;                     // how many levels are chosen already, 0 to 2,
    u32 columns;                    // and their columns, four bits each
    u32 first_co;                   // of the items' Co's
    u32 co_pairs;                   // Co's that stand beside their reverse
};

struct Batch {
    const u64* words;
    u64* sums;                      // one per gathering job and pair
    u32* tiles;                     // one per block, where they do not fit shared memory
    u64* sifted;                    // per block and level, list_room lines and their Co's
    void* tables;
    u32* flag;                      // set where something does not fit
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes, end_planes;  // room for this many planes
    u32 tile_rows;                  // room for this many rows
    u32 list_room;                  // the longest list
    u32 diagonals;                  // of either direction
    u32 filter_pairs;               // place
    u32 ce_of;                      // place of the Ce of every set of columns
    u32 queens;                     // of a placement that is filtered by
    u32 cols;                       // of its board
    u32* next_job;                  // how many jobs have been taken
};

#define MOST_STEM_ROWS 4

// What does not fit: a cell its bits, or a list its room.
#define TOO_LARGE 1u
#define TOO_LONG 2u

// Words of 32 q's that a lane has at a time when it gathers.
#define WORDS 2

// The most pairs of a gathering job.
#define MOST_PAIRS 8

// The step from one plane of lines to the next: one more than a plane, so that a warp that
// writes 32 planes for one lane meets 32 banks.
#define LINE_STEP 33

// The step from one lane's Co's to the next, in 16-bit numbers: so that neighbours meet
// different banks.
#define CO_STEP 34

// Shared memory. A plane is 32 words, one per lane.
struct Shared {
    u64* sums;          // one per warp, for each pair
    u32* lines;         // the planes of lines, for each word
    u32* counts;        // for each level of a stem, what is left of each lane's or warp's list
    u32* longest;       // for each level of a stem, the length of the longest list
    u32* squares;
    u32* ends;
    u32* tile;
    u16* cos;           // the Co of every bit
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

// The number of a job that no other warp takes, or one beyond the last.
DEVICE u32 take_job(const Batch& batch) {
    u32 taken = 0;
    if (LANE == 0) {
#ifdef __CUDACC__
        taken = atomicAdd(batch.next_job, 1);
#else
        taken = (*batch.next_job)++;
#endif
    }
    return batch.first_job + FIRST(taken);
}

DEVICE void raise_to(u32* cell, u32 value) {
#ifdef __CUDACC__
    atomicMax(cell, value);
#else
    *cell = *cell < value ? value : *cell;
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

// Some q's: their lines, and where it matters their Co's.
struct List {
    const u64* lines;
    const u16* cos;
    u32 count;
};

// Where a block keeps what is left of its lists after so many levels of a stem.
DEVICE u64* kept_lines(const Batch& batch, u32 levels) {
    return batch.sifted + (u64)(BLOCK * MOST_STEM_ROWS + levels - 1) * (batch.list_room / 4 * 5);
}

DEVICE u16* kept_cos(const Batch& batch, u32 levels) {
    return reinterpret_cast<u16*>(kept_lines(batch, levels) + batch.list_room);
}

// The q's of one lane's Co after so many levels. Lane l's share of the room begins where its
// q's begin in the queue.
DEVICE List lane_list(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                      u32 levels, u32 l, const Shared& shared) {
    if (first_co + l >= pair.co_limit) {
        return {nullptr, nullptr, 0};
    }
    const u32* starts = at<u32>(batch, queue.starts) + first_co;
    if (levels > 0) {
        return {kept_lines(batch, levels) + (starts[l] - starts[0]), nullptr,
                shared.counts[(levels - 1) * 32 + l]};
    }
    return {at<u64>(batch, queue.lines) + starts[l], nullptr, starts[l + 1] - starts[l]};
}

// Keeps of a list what a queen on one more square of the stem does not attack: the q's from
// `first` to `last`, in their order, from `kept` on. All lanes of a warp call it together;
// returns how many were kept.
DEVICE u32 keep(const List& list, u32 first, u32 last, u64 taken, u64* lines, u16* cos, u32 lane) {
    u32 count = 0;
    for (u32 f = first; f < last; f += 32) {
        u32 word = ballot(lane, [&](u32 k) {
            return f + k < last && (list.lines[f + k] & taken) == 0;
        });
        if (lines && word >> lane & 1) {
            u32 to = count + lanes_before(word, lane);
            lines[to] = list.lines[f + lane];
            if (cos) {
                cos[to] = list.cos[f + lane];
            }
        }
        count += population(word);
    }
    return count;
}

// Sifts every lane's own list by one more square of the stem. A warp takes one list after the
// other.
DEVICE void sift_lanes(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                       u32 level, u64 taken, const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    for (u32 l = thread / 32; l < 32; l += THREADS / 32) {
        List list = lane_list(batch, pair, queue, first_co, level, l, shared);
        u64* lines = nullptr;
        if (list.count > 0) {
            const u32* starts = at<u32>(batch, queue.starts) + first_co;
            lines = kept_lines(batch, level + 1) + (starts[l] - starts[0]);
        }
        u32 count = keep(list, 0, list.count, taken, lines, nullptr, lane);
        if (lane == 0) {
            shared.counts[level * 32 + l] = count;
            raise_to(&shared.longest[level], count);
        }
    }
}

// The planes of the lines of 32 q's: lane b gets the word of those that use diagonal b and of
// those that use anti-diagonal b. Bits that stand for no q use every line.
DEVICE void make_lines(const List& list, u32 first, u32 diagonals, u32* lines, u32 l, u32 lane) {
    auto of = [&](u32 k) { return first + k < list.count ? list.lines[first + k] : ~0ull; };
    u32 diag = transposed(lane, [&](u32 k) { return (u32)of(k); });
    u32 anti = transposed(lane, [&](u32 k) { return (u32)(of(k) >> 32); });
    if (lane < diagonals) {
        lines[lane * LINE_STEP + l] = diag;
        lines[(diagonals + lane) * LINE_STEP + l] = anti;
    }
}

// The plane of each square below the stem, numbered from there: the q's that a queen there
// leaves alive. Plane `s` of word `w` is number `s * words + w`.
DEVICE void make_squares(const Batch& batch, const Tree& tree, u32 words, const Shared& shared,
                         u32 thread) {
    u32 lane = thread % 32;
    const u64* squares = at<u64>(batch, tree.squares);
    u32 first = tree.stem_rows * tree.cols;
    for (u32 s = first + thread / 32; s < tree.rows * tree.cols; s += THREADS / 32) {
        u64 lines = squares[s];
        u32 diag = lowest((u32)lines) * LINE_STEP + lane;
        u32 anti = (batch.diagonals + lowest((u32)(lines >> 32))) * LINE_STEP + lane;
#pragma unroll 4
        for (u32 w = 0; w < words; w++) {
            const u32* planes = shared.lines + w * 2 * batch.diagonals * LINE_STEP;
            shared.squares[((s - first) * words + w) * 32 + lane] = ~(planes[diag] | planes[anti]);
        }
    }
}

// The plane of each end: two squares together, or what there is.
DEVICE void make_ends(const Batch& batch, const Tree& tree, u32 words, const Shared& shared,
                      u32 thread) {
    u32 lane = thread % 32;
    const u32* pairs = at<u32>(batch, tree.pairs);
    for (u32 e = thread / 32; e < tree.pair_count; e += THREADS / 32) {
        u32 both = pairs[e];
        for (u32 w = 0; w < words; w++) {
            u32 plane;
            if (tree.end_rows > 0) {
                plane = shared.squares[((both & 0xffff) * words + w) * 32 + lane]
                      & shared.squares[((both >> 16) * words + w) * 32 + lane];
            } else {
                // The empty placement attacks nothing; only bits of no q use every line.
                const u32* planes = shared.lines + w * 2 * batch.diagonals * LINE_STEP + lane;
                plane = ~0u;
                for (u32 line = 0; line < 2 * batch.diagonals; line++) {
                    plane &= planes[line * LINE_STEP];
                }
                plane = ~plane;
            }
            shared.ends[(e * words + w) * 32 + lane] = plane;
        }
    }
}

// Walks a warp's share of the prefixes from `begin` to `end`, which have one stem, and calls
// at_end with the surviving q's and the Ce of every placement.
template <u32 words, class AtEnd>
DEVICE void walk(const Batch& batch, const Tree& tree, u32 begin, u32 end, const Shared& shared,
                 u32 thread, AtEnd at_end) {
    u32 lane = thread % 32, warp = thread / 32, warps = THREADS / 32;
    const Prefix* prefixes = at<Prefix>(batch, tree.prefixes);
    const u32* ends = at<u32>(batch, tree.ends);
    u32 depth = tree.rows - tree.end_rows, cols = tree.cols, top = tree.stem_rows;
    const u32* squares = shared.squares + lane;
    const u32* end_planes = shared.ends + lane;
    // What survives all queens of the prefix but its last, and whether anything does.
    u32 branch[words] = {};
    bool lives = true;
    // Neighbouring prefixes share their branch, but some branches are far larger than others:
    // a few neighbours at a time.
    const u32 neighbours = 2;
    for (u32 first = begin + warp * neighbours; first < end; first += warps * neighbours) {
        u32 last = first + neighbours < end ? first + neighbours : end;
        for (u32 i = first; i < last; i++) {
            Prefix prefix = prefixes[i];
            u32 alive[words];
            if (depth > top) {
                if (i == first || prefix.from + 1u < depth) {
                    for (u32 w = 0; w < words; w++) {
                        branch[w] = ~0u;
                    }
                    u64 path = prefix.path >> (4 * top);
                    const u32* row = squares;
                    for (u32 level = top; level + 1 < depth; level++) {
                        const u32* square = row + ((u32)path & 15) * (words * 32);
                        for (u32 w = 0; w < words; w++) {
                            branch[w] &= square[w * 32];
                        }
                        path >>= 4;
                        row += cols * (words * 32);
                    }
                    u32 some = 0;
                    for (u32 w = 0; w < words; w++) {
                        some |= branch[w];
                    }
                    lives = ANY_LANE(some != 0);
                }
                if (!lives) {
                    continue;
                }
                u32 j = (u32)(prefix.path >> (4 * (depth - 1))) & 15;
                const u32* square = squares + ((depth - 1 - top) * cols + j) * (words * 32);
                u32 some = 0;
                for (u32 w = 0; w < words; w++) {
                    alive[w] = branch[w] & square[w * 32];
                    some |= alive[w];
                }
                if (!ANY_LANE(some != 0)) {
                    continue;
                }
            } else {
                for (u32 w = 0; w < words; w++) {
                    alive[w] = ~0u;
                }
            }
            const u32* end_of = ends + prefix.first_end;
            const u32* end_last = end_of + prefix.ends;
            u32 both = *end_of;
            do {
                // The next end is on its way while this one is worked on; there is always
                // one more word after the last.
                u32 coming = *++end_of;
                const u32* plane = end_planes + (both & 0xffff) * (words * 32);
                u32 left[words];
                for (u32 w = 0; w < words; w++) {
                    left[w] = alive[w] & plane[w * 32];
                }
                at_end(left, both >> 16);
                both = coming;
            } while (end_of != end_last);
        }
    }
}

// The first level of stem `s` whose choice is not that of the stem before.
DEVICE u32 first_change(const Stem* stems, u32 s, u32 stem_rows) {
    return s == 0 || stem_rows == 0 ? 0 : lowest(stems[s].path ^ stems[s - 1].path) / 4;
}

// The lines that a stem's queen on this level attacks.
DEVICE u64 stem_lines(const Batch& batch, const Tree& tree, u32 path, u32 level) {
    return at<u64>(batch, tree.squares)[level * tree.cols + (path >> (4 * level) & 15)];
}

// Fills the table of one pair for 32 Co's with the stored colour's counts times their weights.
template <class Cell>
DEVICE void store_job(const Batch& batch, u32 number, const Shared& shared) {
    StoreJob job = at<StoreJob>(batch, batch.jobs)[number];
    Pair pair = at<Pair>(batch, batch.pairs)[job.pair];
    EACH_THREAD {
        for (u32 cell = thread; cell < pair.table_rows * 32; cell += THREADS) {
            shared.tile[cell] = 0;
        }
    }
    Tree tree = at<Tree>(batch, batch.trees)[pair.store_tree];
    Queue queue = at<Queue>(batch, batch.queues)[pair.store_queue];
    const Stem* stems = at<Stem>(batch, tree.stems);
    u32 top = tree.stem_rows;
    for (u32 s = 0; s < tree.stem_count; s++) {
        for (u32 level = first_change(stems, s, top); level < top; level++) {
            EACH_THREAD {
                if (thread == 0) {
                    shared.longest[level] = 0;
                }
            }
            BARRIER;
            u64 taken = stem_lines(batch, tree, stems[s].path, level);
            EACH_THREAD {
                sift_lanes(batch, pair, queue, job.first_co, level, taken, shared, thread);
            }
            BARRIER;
        }
        if (top == 0) {
            EACH_THREAD {
                if (thread == 0) {
                    u32 longest = 0;
                    for (u32 l = 0; l < 32; l++) {
                        u32 count = lane_list(batch, pair, queue, job.first_co, 0, l, shared).count;
                        longest = count > longest ? count : longest;
                    }
                    shared.longest[0] = longest;
                }
            }
            BARRIER;
        }
        u32 words = (shared.longest[top == 0 ? 0 : top - 1] + 31) / 32;
        for (u32 word = 0; word < words; word++) {
            EACH_THREAD {
                for (u32 l = thread / 32; l < 32; l += THREADS / 32) {
                    List list = lane_list(batch, pair, queue, job.first_co, top, l, shared);
                    make_lines(list, 32 * word, batch.diagonals, shared.lines, l, thread % 32);
                }
            }
            BARRIER;
            EACH_THREAD { make_squares(batch, tree, 1, shared, thread); }
            BARRIER;
            EACH_THREAD { make_ends(batch, tree, 1, shared, thread); }
            BARRIER;
            EACH_THREAD {
                u32 lane = thread % 32;
                walk<1>(batch, tree, stems[s].first_prefix, stems[s + 1].first_prefix, shared, thread,
                    [&](const u32* left, u32 ce) {
                        add_to(&shared.tile[ce * 32 + lane], population(left[0]));
                    });
            }
            BARRIER;
        }
    }
    BARRIER;
    EACH_THREAD {
        const unsigned char* weights = at<unsigned char>(batch, pair.weights);
        Cell* table = static_cast<Cell*>(batch.tables) + pair.table;
        bool too_large = false;
        for (u32 cell = thread; cell < pair.table_rows * 32; cell += THREADS) {
            u32 ce = cell / 32, co = job.first_co + cell % 32;
            u32 weight = ce >= pair.ce_limit || co >= pair.co_limit ? 0
                       : co < pair.last_co ? weights[ce] : 1;
            u32 value = shared.tile[cell] * weight;
            too_large |= (Cell)value != value;
            table[(u64)ce * pair.table_cols + co] = (Cell)value;
        }
        if (too_large) {
            *batch.flag = TOO_LARGE;
        }
    }
    BARRIER;
}

// Sums, for every pair of the job, the table's cells of all surviving q's.
template <class Cell>
DEVICE void gather_job(const Batch& batch, u32 number, const Shared& shared) {
    GatherJob job = at<GatherJob>(batch, batch.jobs)[number];
    const Pair* pairs = at<Pair>(batch, batch.pairs) + job.first_pair;
    Queue queue = at<Queue>(batch, batch.queues)[job.queue];
    const Tree* trees = at<Tree>(batch, batch.trees);
    u32 top = trees[pairs[0].gather_tree].stem_rows;
    const u32* starts = at<u32>(batch, queue.starts);
    u32 begin = starts[job.first_co];
    List all = {at<u64>(batch, queue.lines) + begin, at<u16>(batch, queue.cos) + begin,
                starts[job.last_co] - begin};
    EACH_THREAD {
        if (thread % 32 == 0) {
            for (u32 p = 0; p < job.pairs; p++) {
                shared.sums[p * (THREADS / 32) + thread / 32] = 0;
            }
        }
    }
    // All trees of the job list their stems in the same order, but some may lack some. `next`
    // is each tree's next stem; the smallest path of any, by its levels, comes next.
    u32 next[MOST_PAIRS];
    for (u32 p = 0; p < job.pairs; p++) {
        const Tree& tree = trees[pairs[p].gather_tree];
        const Stem* stems = at<Stem>(batch, tree.stems);
        next[p] = 0;
        while (top > 0 && next[p] < tree.stem_count && (stems[next[p]].path & 15) < job.column) {
            next[p]++;
        }
    }
    u32 last_path = 0;
    bool first = true;
    u32 lengths[MOST_STEM_ROWS + 1];
    lengths[0] = all.count;
    for (;;) {
        bool found = false;
        u32 path = 0;
        for (u32 p = 0; p < job.pairs; p++) {
            const Tree& tree = trees[pairs[p].gather_tree];
            if (next[p] < tree.stem_count) {
                u32 other = at<Stem>(batch, tree.stems)[next[p]].path;
                if (top > 0 && (other & 15) != job.column) {
                    continue;
                }
                if (!found || (other != path && (other >> lowest(other ^ path) / 4 * 4 & 15)
                                              < (path >> lowest(other ^ path) / 4 * 4 & 15))) {
                    path = other;
                }
                found = true;
            }
        }
        if (!found) {
            break;
        }
        const Tree& any = trees[pairs[0].gather_tree];
        u32 changed = first || top == 0 ? 0 : lowest(path ^ last_path) / 4;
        first = false;
        last_path = path;
        for (u32 level = changed; level < top; level++) {
            List list = level == 0 ? all
                      : List{kept_lines(batch, level), kept_cos(batch, level), lengths[level]};
            u64 taken = stem_lines(batch, any, path, level);
            u32 warps = THREADS / 32, share = (list.count / warps + 32) / 32 * 32;
            // First how many each warp keeps, then, with what the warps before it keep, where.
            EACH_THREAD {
                u32 from = thread / 32 * share, to = from + share;
                to = to < list.count ? to : list.count;
                u32 count = keep(list, from, to, taken, nullptr, nullptr, thread % 32);
                if (thread % 32 == 0) {
                    shared.counts[thread / 32] = count;
                }
            }
            BARRIER;
            EACH_THREAD {
                u32 warp = thread / 32, from = warp * share, to = from + share;
                to = to < list.count ? to : list.count;
                u32 before = 0;
                for (u32 w = 0; w < warp; w++) {
                    before += shared.counts[w];
                }
                keep(list, from, to, taken, kept_lines(batch, level + 1) + before,
                     kept_cos(batch, level + 1) + before, thread % 32);
            }
            u32 length = 0;
            for (u32 w = 0; w < warps; w++) {
                length += shared.counts[w];
            }
            lengths[level + 1] = length;
            BARRIER;
        }
        List list = top == 0 ? all : List{kept_lines(batch, top), kept_cos(batch, top), lengths[top]};
        for (u32 start = 0; start < list.count; start += WORDS * 1024) {
            EACH_THREAD {
                u32 lane = thread % 32;
                for (u32 l = thread / 32; l < WORDS * 32; l += THREADS / 32) {
                    u32 w = l / 32, here = start + 32 * l;
                    make_lines(list, here, batch.diagonals,
                               shared.lines + w * 2 * batch.diagonals * LINE_STEP, l % 32, lane);
                    shared.cos[l * CO_STEP + lane] = here + lane < list.count ? list.cos[here + lane] : 0;
                }
            }
            BARRIER;
            for (u32 p = 0; p < job.pairs; p++) {
                const Tree& tree = trees[pairs[p].gather_tree];
                const Stem* stems = at<Stem>(batch, tree.stems) + next[p];
                if (next[p] >= tree.stem_count || stems[0].path != path) {
                    continue;
                }
                EACH_THREAD { make_squares(batch, tree, WORDS, shared, thread); }
                BARRIER;
                EACH_THREAD { make_ends(batch, tree, WORDS, shared, thread); }
                BARRIER;
                EACH_THREAD {
                    u32 lane = thread % 32;
                    const Cell* table = static_cast<const Cell*>(batch.tables) + pairs[p].table;
                    const u16* cos = shared.cos + lane * CO_STEP;
                    u32 cols = pairs[p].table_cols;
                    u64 sum = 0;
                    walk<WORDS>(batch, tree, stems[0].first_prefix, stems[1].first_prefix, shared,
                        thread, [&](const u32* left, u32 ce) {
                            const Cell* row = table + ce * cols;
                            u32 word[WORDS], some = 0;
                            for (u32 w = 0; w < WORDS; w++) {
                                word[w] = left[w];
                                some |= left[w];
                            }
                            // One bit of every word at a time: their loads are under way
                            // together.
                            while (some != 0) {
                                u32 cell[WORDS];
                                some = 0;
                                for (u32 w = 0; w < WORDS; w++) {
                                    cell[w] = 0;
                                    if (word[w] != 0) {
                                        cell[w] = row[cos[w * 32 * CO_STEP + lowest(word[w])]];
                                    }
                                    word[w] &= word[w] - 1;
                                    some |= word[w];
                                }
                                for (u32 w = 0; w < WORDS; w++) {
                                    sum += cell[w];
                                }
                            }
                        });
                    add_warp(&shared.sums[p * (THREADS / 32) + thread / 32], sum, lane);
                }
                BARRIER;
            }
        }
        for (u32 p = 0; p < job.pairs; p++) {
            const Tree& tree = trees[pairs[p].gather_tree];
            if (next[p] < tree.stem_count && at<Stem>(batch, tree.stems)[next[p]].path == path) {
                next[p]++;
            }
        }
    }
    BARRIER;
    EACH_THREAD {
        for (u32 p = thread; p < job.pairs; p += THREADS) {
            u64 sum = 0;
            for (u32 w = 0; w < THREADS / 32; w++) {
                sum += shared.sums[p * (THREADS / 32) + w];
            }
            batch.sums[job.first_sum + p] = sum;
        }
    }
    BARRIER;
}

// Gathering by filtering: a warp walks the first levels of the trees of some pairs depth
// first, and sifts the q's at every step, so that lists are short before there are many
// prefixes. Pairs whose next rows are equal go together. Two rows before the end nothing is
// sifted any more: the free squares of both rows are two shifts away from the lines of a q.
// Those that have some go on a pile, and the pile is unfolded, a placement a lane at a time.
// No warp ever waits for another. This way has run on emulated cards only; it is there to be
// measured against the other (examples/gpu.rs, GATHER=filter). Expected from the counts of
// the same walk on the CPU: 0.4 to 0.6 warp instructions per placement for sifting, 0.3 for
// screening, 1.5 for unfolding, where scanning takes about ten.
//
// An item is a q in two words: its diagonals and its anti-diagonals, and above them the low
// and the high bits of its Co.

// The most pairs of a job.
#define MOST_FILTER_PAIRS 16u
// A Ce that is none, and the mark of a Ce whose reverse is looked up.
#define NO_CE 0xffffu
#define TURNED 0x8000u

// A prefix on the way: its queens so far, and where it goes on.
struct Level {
    u32 cols, diag, anti;           // columns and lines taken
    u32 list, length;               // what is left of the items
    u32 group_end;                  // pairs that share the rows so far: up to here,
    u32 same, same_end;             // and those that share the next row too and are visited
    u32 columns;                    // of that row, still to be tried
};

// A warp's own part of shared memory.
struct WarpMemory {
    u64 ring[2 * LANES];            // items on their way to the last rows
    u64 pile[5 * LANES];            // free squares of both rows, then columns, Co and pair
    FilterPair pairs[MOST_FILTER_PAIRS];
    Level levels[16];
    u32 free[MOST_FILTER_PAIRS];    // free squares of both last rows, for each pair
    unsigned char group_ends[16][MOST_FILTER_PAIRS];
};

template <class Cell>
struct Filter {
    const Batch& batch;
    WarpMemory& memory;
    const u16* ce_of;               // in shared memory
    u64* lists;                     // room for lists
    FilterJob job;
    const FilterPair* pairs;        // in shared memory
    u32 piled;                      // length of the pile
    u32 cell, weight;               // of a placement whose cell is on its way
    u64 sum;

    DEVICE u32 free_squares(u32 pair, u32 level, u32 cols, u32 diag, u32 anti, u32 last_cols) {
        if (cols > last_cols) {
            return 0;
        }
        const FilterPair& p = pairs[pair];
        u32 room = last_cols - cols;
        u32 small = room == 0 ? 1 : (2u << highest(room)) - 1;
        return ((1u << batch.cols) - 1) & small
             & ~(cols | diag >> p.diag[level] | anti >> p.anti[level]);
    }

    // Unfolds the last entries of the pile, as many as there are lanes: each gives its first
    // placement, and what it has beside goes back. More squares of the first row go below
    // more squares of the second, so at most two lanes' worth of entries is added in all.
    DEVICE void unfold() {
        u32 count = piled < LANES ? piled : LANES;
        piled -= count;
        u64 entry = LANE < count ? memory.pile[piled + LANE] : 0;
        WARP_SYNC;
        u32 free = (u32)entry, id = (u32)(entry >> 32);
        Brief p = memory.pairs[id >> 28].brief;
        u32 distance = p.distance;
        u32 first = free & 0xffff;
        u32 x = first & (0 - first);
        u32 seconds = free >> 16 & ~(x | x << distance | x >> distance);
        u32 y = seconds & (0 - seconds);
        sum += (u64)cell * weight;
        cell = 0;
        if (seconds != 0) {
            u32 ce = ce_of[(id & 0xffff) | x | y];
            u32 co = id >> 16 & 0xfff;
            u32 row = ce & ~TURNED;
            if (ce != NO_CE && row < p.table_rows) {
                co ^= ce >= TURNED && co < job.co_pairs ? 1 : 0;
                const Cell* table = static_cast<const Cell*>(batch.tables);
                cell = table[p.table + row * p.table_cols + job.first_co + co];
                weight = p.weight;
            }
        }
        put_back(first ^ x, free >> 16, id);
        put_back(x, seconds ^ y, id);
        WARP_SYNC;
    }

    DEVICE void put_back(u32 first, u32 second, u32 id) {
        bool some = first != 0 && second != 0;
        u32 mask = BALLOT(some);
        if (some) {
            memory.pile[piled + lanes_before(mask, LANE)] = (u64)id << 32 | second << 16 | first;
        }
        piled += population(mask);
    }

    // Puts the first items of the ring on the pile, for every pair from `pair` to `end` that
    // they leave squares in both last rows, and unfolds what is too much.
    DEVICE void screen(u32 count, u32 pair, u32 end, u32 cols) {
        u32 lane = LANE, above = batch.diagonals;
        u64 item = lane < count ? memory.ring[lane] : 0;
        u32 diag = (u32)item, anti = (u32)(item >> 32);
        u32 co = diag >> above | anti >> above << (32 - above);
        for (u32 k = pair; k < end; k++) {
            u32 free = lane < count ? memory.free[k] : 0;
            u32 shifts = memory.pairs[k].brief.shifts;
            u32 first = free & 0xffff & ~(diag >> (shifts & 31) | anti >> (shifts >> 8 & 31));
            u32 second = free >> 16 & ~(diag >> (shifts >> 16 & 31) | anti >> (shifts >> 24));
            put_back(first, second, k << 28 | co << 16 | cols);
            WARP_SYNC;
            while (piled >= LANES) {
                unfold();
            }
        }
    }

    // Sifts a list by one more queen and screens what is left.
    DEVICE void finish(const u64* items, u32 length, u32 diag, u32 anti, const Level& level,
                       u32 cols, u32 all_diag, u32 all_anti) {
        u32 last = batch.queens - 2;
        for (u32 k = level.same + LANE; k < level.same_end; k += LANES) {
            u32 last_cols = pairs[k].last_cols;
            u32 first = free_squares(k, last, cols, all_diag, all_anti, last_cols);
            u32 second = free_squares(k, last + 1, cols, all_diag, all_anti, last_cols);
            memory.free[k] = first == 0 || second == 0 ? 0 : second << 16 | first;
        }
        WARP_SYNC;
        u32 start = 0, ring = 0;
        do {
            u32 at = start + LANE;
            u64 item = at < length ? items[at] : ~0ull;
            bool keeps = at < length && ((u32)item & diag) == 0 && ((u32)(item >> 32) & anti) == 0;
            u32 mask = BALLOT(keeps);
            if (keeps) {
                memory.ring[ring + lanes_before(mask, LANE)] = item;
            }
            ring += population(mask);
            start += LANES;
            WARP_SYNC;
            if (ring >= LANES || start >= length) {
                u32 count = ring < LANES ? ring : LANES;
                screen(count, level.same, level.same_end, cols);
                ring -= count;
                u64 rest = LANE < ring ? memory.ring[LANES + LANE] : 0;
                WARP_SYNC;
                memory.ring[LANE] = rest;
                WARP_SYNC;
            }
        } while (start < length || ring > 0);
    }

    // Keeps of a list what a queen on these lines does not attack; returns its length.
    DEVICE u32 sift(const u64* items, u32 length, u32 diag, u32 anti, u64* to) {
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
                bool keeps = ((u32)item[k] & diag) == 0 && ((u32)(item[k] >> 32) & anti) == 0
                          && start + k * LANES + LANE < length;
                u32 mask = BALLOT(keeps);
                if (keeps) {
                    to[kept + lanes_before(mask, LANE)] = item[k];
                }
                kept += population(mask);
            }
        }
        WARP_SYNC;
        return kept;
    }

    // The sum of the cells of all placements of the job, for this lane.
    DEVICE u64 run(u32 number) {
        job = at<FilterJob>(batch, batch.jobs)[number];
        const u64* from = at<u64>(batch, batch.filter_pairs)
                        + job.first_pair * (sizeof(FilterPair) / sizeof(u64));
        u64* to = reinterpret_cast<u64*>(memory.pairs);
        for (u32 word = LANE; word < job.pairs * sizeof(FilterPair) / sizeof(u64); word += LANES) {
            to[word] = from[word];
        }
        WARP_SYNC;
        pairs = memory.pairs;
        piled = cell = weight = 0;
        sum = 0;
        u32 last = batch.queens - 2;
        for (u32 k = LANE; k < job.pairs; k += LANES) {
            u32 end = k + 1;
            // From the deepest level up, groups only grow.
            for (u32 level = last; level-- > 0;) {
                while (end < job.pairs && same_rows(k, end, level)) {
                    end++;
                }
                memory.group_ends[level][k] = end;
            }
        }
        WARP_SYNC;
        const u64* items = at<u64>(batch, job.items);
        // The levels that the job has chosen: all pairs have the same rows there.
        Level root = {};
        for (u32 level = 0; level < job.levels; level++) {
            u32 j = job.columns >> (4 * level) & 15;
            root.cols |= 1u << j;
            root.diag |= 1u << (pairs[0].diag[level] + j);
            root.anti |= 1u << (pairs[0].anti[level] + j);
        }
        root.group_end = job.pairs;
        walk(root, items);
        while (piled > 0) {
            unfold();
        }
        sum += (u64)cell * weight;
        return sum;
    }

    DEVICE bool same_rows(u32 k, u32 other, u32 level) {
        for (u32 l = 0; l <= level; l++) {
            if (pairs[k].diag[l] != pairs[other].diag[l]) {
                return false;
            }
        }
        return true;
    }

    // Walks all prefixes that begin with the job's queens.
    DEVICE void walk(Level level, const u64* items) {
        u32 first = job.levels, depth = first, last = batch.queens - 2;
        u32 diag = level.diag, anti = level.anti;
        bool finishes = first == last;
        if (finishes) {
            level.same_end = level.group_end;
            level.length = job.count;
            level.diag = level.anti = 0;
        } else {
            level.length = sift(items, job.count, diag, anti, lists);
            items = lists;
        }
        u32 j = 0;
        for (;;) {
            if (finishes) {
                u32 cols = first == last ? level.cols : level.cols | 1u << j;
                finish(items, level.length, diag, anti, level, cols, level.diag | diag,
                       level.anti | anti);
                if (first == last) {
                    return;
                }
            }
            finishes = false;
            if (level.columns == 0) {
                if (level.same_end == level.group_end) {
                    if (depth == first) {
                        return;
                    }
                    depth--;
                    level = memory.levels[depth];
                    continue;
                }
                // The pairs that share one more row.
                level.same = level.same_end;
                level.same_end = memory.group_ends[depth][level.same];
                u32 last_cols = 0;
                for (u32 k = level.same; k < level.same_end; k++) {
                    last_cols = last_cols < pairs[k].last_cols ? pairs[k].last_cols : last_cols;
                }
                level.columns = free_squares(level.same, depth, level.cols, level.diag, level.anti,
                                             last_cols);
                continue;
            }
            j = lowest(level.columns);
            level.columns &= level.columns - 1;
            diag = 1u << (pairs[level.same].diag[depth] + j);
            anti = 1u << (pairs[level.same].anti[depth] + j);
            items = lists + level.list;
            if (depth + 1 == last) {
                finishes = true;
                continue;
            }
            // Each list comes after the one it is sifted from. All those of a prefix together
            // were at most half of the room for one on the boards that were tried, and there
            // is room for two.
            u32 below = level.list + level.length;
            if (below + level.length > 2 * batch.list_room) {
                *batch.flag = TOO_LONG;
                return;
            }
            u32 length = sift(items, level.length, diag, anti, lists + below);
            if (length > 0) {
                if (LANE == 0) {
                    memory.levels[depth] = level;
                }
                WARP_SYNC;
                depth++;
                level = {level.cols | 1u << j, level.diag | diag, level.anti | anti, below, length,
                         level.same_end, level.same, level.same, 0};
            }
        }
    }
};

// Every job of the launch that falls to this warp. `memory` begins with the Ce's.
template <class Cell>
DEVICE void filter_jobs(const Batch& batch, u64* memory, u32 warp, u32 warps) {
    const u16* ce_of = reinterpret_cast<const u16*>(memory);
    WarpMemory* own = reinterpret_cast<WarpMemory*>(memory + (((1u << batch.cols) + 3) / 4)) + warp;
    u64* lists = batch.sifted + (u64)(BLOCK * warps + warp) * 2 * batch.list_room;
    Filter<Cell> filter = {batch, *own, ce_of, lists, {}, nullptr, 0, 0, 0, 0};
    for (;;) {
        u32 job = take_job(batch);
        if (job >= batch.job_end) {
            return;
        }
        u64 sum = filter.run(job);
        if (LANE == 0) {
            batch.sums[job] = 0;
        }
        WARP_SYNC;
        add_warp(&batch.sums[job], sum, LANE);
        WARP_SYNC;
    }
}

// What a block of threads does: its warps share the Ce's and nothing else.
template <class Cell>
DEVICE void filter_block(const Batch& batch, u64* memory) {
    EACH_THREAD {
        const u64* from = at<u64>(batch, batch.ce_of);
        for (u32 word = thread; word < ((1u << batch.cols) + 3) / 4; word += THREADS) {
            memory[word] = from[word];
        }
    }
    BARRIER;
    EACH_WARP { filter_jobs<Cell>(batch, memory, warp, THREADS / 32); };
}

// How the host shares out the memory of a block; batch.rs says how many bytes.
template <bool TILE_IN_SHARED>
DEVICE Shared share_out(const Batch& batch, u64* memory, u32 words, u32 pairs) {
    Shared shared;
    shared.sums = memory;
    shared.counts = reinterpret_cast<u32*>(memory + THREADS / 32 * pairs);
    shared.longest = shared.counts + MOST_STEM_ROWS * 32;
    shared.lines = shared.longest + 32;
    shared.squares = shared.lines + words * 2 * batch.diagonals * LINE_STEP;
    shared.ends = shared.squares + words * batch.square_planes * 32;
    u32* rest = shared.ends + words * batch.end_planes * 32;
    shared.tile = TILE_IN_SHARED ? rest : batch.tiles + (u64)BLOCK * batch.tile_rows * 32;
    shared.cos = reinterpret_cast<u16*>(rest);
    return shared;
}

// Every job of the launch that falls to this block.
template <bool TILE_IN_SHARED, class Cell>
DEVICE void store_jobs(const Batch& batch, u64* memory) {
    Shared shared = share_out<TILE_IN_SHARED>(batch, memory, 1, 0);
    for (u32 job = batch.first_job + BLOCK; job < batch.job_end; job += BLOCKS) {
        store_job<Cell>(batch, job, shared);
    }
}

template <class Cell>
DEVICE void gather_jobs(const Batch& batch, u64* memory) {
    Shared shared = share_out<false>(batch, memory, WORDS, MOST_PAIRS);
    for (u32 job = batch.first_job + BLOCK; job < batch.job_end; job += BLOCKS) {
        gather_job<Cell>(batch, job, shared);
    }
}

#ifdef __CUDACC__
extern __shared__ u64 shared_memory[];

#define STORE(name, in_shared, cell)                                                      \
    extern "C" __global__ void __launch_bounds__(1024) name(const Batch batch) {          \
        store_jobs<in_shared, cell>(batch, shared_memory);                                \
    }
STORE(store_in_shared_16, true, u16)
STORE(store_in_shared_32, true, u32)
STORE(store_in_global_16, false, u16)
STORE(store_in_global_32, false, u32)

#define GATHER(name, cell)                                                                \
    extern "C" __global__ void __launch_bounds__(1024) name(const Batch batch) {           \
        gather_jobs<cell>(batch, shared_memory);                                          \
    }
GATHER(gather_16, u16)
GATHER(gather_32, u32)

#define FILTER(name, cell)                                                                \
    extern "C" __global__ void __launch_bounds__(256) name(const Batch batch) {            \
        filter_block<cell>(batch, shared_memory);                                         \
    }
FILTER(filter_16, u16)
FILTER(filter_32, u32)
#endif
