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
// refuses a pair where the first does not fit 32 bits or the second 64. A table of 16-bit
// cells says when a cell does not fit, and the host then asks for one of 32 bits.
//
// Measured on an H200 (driver 580.159.04, 2026-11-15), lists prepared by 16 host cores: n = 20
// in 0.43 s, n = 21 in 3.0 s, n = 22 in 6.5 to 7.5 s, n = 24 in 239 s. ncu: the storing kernel
// issues in 65 % of the cycles, the gathering one in 16 % (few, long blocks) to 54 %; its warps
// then wait mostly at barriers (a stem of one pair is too little work for 16 warps) and for
// cells of the table. Tried: everything by Co, 32 Co's a block, as the storing kernel does:
// n = 22 in 9.7 s, because 0.1 survivors per lane and end leave nearly all lanes idle;
// gathering with one bit loop per word instead of all words together: 7.0 s; 4, 2 and 1 words
// per lane: n = 22 in 6.5, 7.5 and 8.8 s, the balanced class of n = 24 in 184, 127 and 164 s.
//
// The same text runs on the CPU, for tests: EACH_THREAD is a thread's own life on the GPU and
// a loop over all threads of the block elsewhere, so threads may talk only through memory and
// only across a BARRIER.

#ifdef __CUDACC__
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define DEVICE __device__ __forceinline__
#define EACH_THREAD for (u32 thread = threadIdx.x, once = 1; once; once = 0)
#define BARRIER __syncthreads()
#define THREADS blockDim.x
#define BLOCK blockIdx.x
#define BLOCKS gridDim.x
// True in all lanes of a warp where it is true in one.
#define ANY_LANE(x) __any_sync(~0u, (x))
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

struct Batch {
    const u64* words;
    u64* sums;                      // one per gathering job and pair
    u32* tiles;                     // one per block, where they do not fit shared memory
    u64* sifted;                    // per block and level, list_room lines and their Co's
    void* tables;
    u32* too_large;                 // set where a cell does not fit
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes, end_planes;  // room for this many planes
    u32 tile_rows;                  // room for this many rows
    u32 list_room;                  // the longest list
    u32 diagonals;                  // of either direction
};

#define MOST_STEM_ROWS 4

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

// The number of the lowest bit of x, which is not 0.
DEVICE u32 lowest(u32 x) {
#ifdef __CUDACC__
    return __clz(__brev(x));
#else
    return __builtin_ctz(x);
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
            u32 to = count + population(word & ((1u << lane) - 1));
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
            *batch.too_large = 1;
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
#endif
