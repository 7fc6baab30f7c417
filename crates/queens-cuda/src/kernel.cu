// Two-colour counting on a GPU: the sum of black * white for pairs of row sets.
//
// A block counts one pair (RE, RO) for 32 neighbouring Co's; lane l of every warp has the
// l-th of them. One placement q of the lane's Co is one bit: a lane holds 32 of them in a
// word, and for every square of the tree's small board a *plane*, the word of those q's that
// a queen on that square does not attack. A warp then walks the tree of p's with all its
// lanes together, since a prefix is the same for every Co: one AND per queen, one more for the
// two last queens together, one population count. Nothing diverges.
//
// A Co has tens to thousands of q's, and most die with the first queens of p. So the lists
// are *sifted* first: for every stem, the choices in the first levels of the tree, only the
// q's that the stem does not attack are made into words. A level keeps about a third, and
// the host chooses as many levels as leave about one word per lane.
//
// The colour with fewer queens is *stored*: its counts go to a table with a row per Ce. The
// other colour *gathers*: each count is multiplied with the table's at once. The weights of
// the column sets (transpose, reversal) are put into the table between the two.
//
// No counter can overflow. With T ends in the gathering tree, M the most ends of one Ce in the
// storing tree, and Qg, Qs the most placements of one Co on either side, a cell of the table is
// at most 4 * M * Qs, and the sum of a block at most 32 * T * Qg * 4 * M * Qs. The host refuses
// a pair where the first does not fit 32 bits or the second 64 (up to n = 30 they stay below
// 2^27 and 2^60), and adds the blocks in 128 bits.
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
    u32 unused[3];
};

struct Stem {
    u32 path;           // the column of each of its levels, four bits a level
    u32 first_prefix;
};

struct Queue {
    u32 lines, starts;              // places
};

struct Pair {
    u32 store_tree, store_queue, gather_tree, gather_queue;     // numbers
    u32 table_rows;                 // Ce's of the trees
    u32 ce_limit, co_limit;         // how many of each are visited
    u32 last_co;                    // from here on a column set weighs 1
    u32 weights;                    // place of one byte per Ce
    u32 narrow;                     // whether the products of a prefix fit 32 bits
};

struct Job {
    u32 pair, first_co;
};

struct Batch {
    const u64* words;
    u64* sums;                      // one per job
    u32* tables;                    // one per block, where they do not fit shared memory
    u64* sifted;                    // per block and level 32 lists of list_room each
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes, end_planes;  // room for this many planes
    u32 table_rows;                 // room for this many rows
    u32 list_room;                  // the most placements of one Co
};

#define MOST_STEM_ROWS 4

// The step from one plane of lines to the next: one more than a plane, so that a warp that
// writes 32 planes for one lane meets 32 banks.
#define LINE_STEP 33

// Shared memory. A plane is 32 words, one per lane.
struct Shared {
    u64* sums;          // one per thread
    u32* lines;         // 64 planes of lines
    u32* counts;        // for each level of a stem, what is left of each lane's list
    u32* longest;       // for each level of a stem, the largest of its counts
    u32* squares;
    u32* ends;
    u32* table;
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
    return __ffs(x) - 1;
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

// A lane's list after so many levels of a stem.
struct List {
    const u64* lines;
    u32 count;
};

DEVICE u64* sifted_list(const Batch& batch, u32 levels, u32 lane) {
    return batch.sifted + ((u64)(BLOCK * MOST_STEM_ROWS + levels - 1) * 32 + lane) * batch.list_room;
}

DEVICE List list_of(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                    u32 levels, u32 lane, const Shared& shared) {
    if (levels > 0) {
        return {sifted_list(batch, levels, lane), shared.counts[(levels - 1) * 32 + lane]};
    }
    if (first_co + lane >= pair.co_limit) {
        return {nullptr, 0};
    }
    const u32* starts = at<u32>(batch, queue.starts) + first_co + lane;
    return {at<u64>(batch, queue.lines) + starts[0], starts[1] - starts[0]};
}

// Keeps of every lane's list what a queen on one more square of the stem does not attack.
// A warp takes one list after the other.
DEVICE void sift(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                 u32 level, u64 taken, const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    for (u32 l = thread / 32; l < 32; l += THREADS / 32) {
        List list = list_of(batch, pair, queue, first_co, level, l, shared);
        u64* kept = sifted_list(batch, level + 1, l);
        u32 count = 0;
        for (u32 first = 0; first < list.count; first += 32) {
            u32 word = ballot(lane, [&](u32 k) {
                return first + k < list.count && (list.lines[first + k] & taken) == 0;
            });
            if (word >> lane & 1) {
                kept[count + population(word & ((1u << lane) - 1))] = list.lines[first + lane];
            }
            count += population(word);
        }
        if (lane == 0) {
            shared.counts[level * 32 + l] = count;
            raise_to(&shared.longest[level], count);
        }
    }
}

// Turns 32 placements of every lane's list into planes of lines. A warp takes one list after
// the other; lane b then has the plane of line b. Bits that stand for no q use every line.
DEVICE void make_lines(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                       u32 levels, u32 word, const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    for (u32 l = thread / 32; l < 32; l += THREADS / 32) {
        List list = list_of(batch, pair, queue, first_co, levels, l, shared);
        auto lines = [&](u32 k) {
            return 32 * word + k < list.count ? list.lines[32 * word + k] : ~0ull;
        };
        u32 diag = transposed(lane, [&](u32 k) { return (u32)lines(k); });
        u32 anti = transposed(lane, [&](u32 k) { return (u32)(lines(k) >> 32); });
        shared.lines[lane * LINE_STEP + l] = diag;
        shared.lines[(32 + lane) * LINE_STEP + l] = anti;
    }
}

// The plane of each square below the stem: the q's that a queen there leaves alive.
DEVICE void make_squares(const Batch& batch, const Tree& tree, const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    const u64* squares = at<u64>(batch, tree.squares);
    u32 first = tree.stem_rows * tree.cols;
    for (u32 s = first + thread / 32; s < tree.rows * tree.cols; s += THREADS / 32) {
        u64 lines = squares[s];
        u32 diag = shared.lines[lowest((u32)lines) * LINE_STEP + lane];
        u32 anti = shared.lines[(32 + lowest((u32)(lines >> 32))) * LINE_STEP + lane];
        shared.squares[s * 32 + lane] = ~(diag | anti);
    }
}

// The plane of each end: two squares together, or what there is.
DEVICE void make_ends(const Tree& tree, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, cols = tree.cols;
    u32 row = (tree.rows - tree.end_rows) * cols;
    u32 count = tree.end_rows == 2 ? cols * cols : tree.end_rows == 1 ? cols : 1;
    for (u32 e = thread / 32; e < count; e += THREADS / 32) {
        u32 plane;
        if (tree.end_rows == 2) {
            plane = shared.squares[(row + e / cols) * 32 + lane]
                  & shared.squares[(row + cols + e % cols) * 32 + lane];
        } else if (tree.end_rows == 1) {
            plane = shared.squares[(row + e) * 32 + lane];
        } else {
            // The empty placement attacks nothing; no q uses both of these lines.
            plane = ~(shared.lines[31 * LINE_STEP + lane] & shared.lines[63 * LINE_STEP + lane]);
        }
        shared.ends[e * 32 + lane] = plane;
    }
}

// Walks a warp's share of the prefixes from `begin` to `end`, which have one stem, and calls
// at_end with the surviving q's and the Ce of every placement; at_prefix stands between.
template <class AtEnd, class AtPrefix>
DEVICE void walk(const Batch& batch, const Tree& tree, u32 begin, u32 end, const Shared& shared,
                 u32 thread, AtEnd at_end, AtPrefix at_prefix) {
    u32 lane = thread % 32, warp = thread / 32, warps = THREADS / 32;
    const Prefix* prefixes = at<Prefix>(batch, tree.prefixes);
    const u32* ends = at<u32>(batch, tree.ends);
    u32 depth = tree.rows - tree.end_rows, cols = tree.cols, top = tree.stem_rows;
    u32 first = begin + (u64)(end - begin) * warp / warps;
    u32 last = begin + (u64)(end - begin) * (warp + 1) / warps;
    // What survives all queens of the prefix but its last.
    u32 branch = ~0u;
    for (u32 i = first; i < last; i++) {
        Prefix prefix = prefixes[i];
        u32 alive = ~0u;
        if (depth > top) {
            if (i == first || prefix.from + 1u < depth) {
                branch = ~0u;
                u64 path = prefix.path >> (4 * top);
                const u32* row = shared.squares + top * cols * 32 + lane;
                for (u32 level = top; level + 1 < depth; level++) {
                    branch &= row[((u32)path & 15) * 32];
                    path >>= 4;
                    row += cols * 32;
                }
            }
            u32 j = (u32)(prefix.path >> (4 * (depth - 1))) & 15;
            alive = branch & shared.squares[((depth - 1) * cols + j) * 32 + lane];
            if (!ANY_LANE(alive != 0)) {
                continue;
            }
        }
        const u32* end_of = ends + prefix.first_end;
#pragma unroll 4
        for (u32 e = 0; e < prefix.ends; e++) {
            u32 both = end_of[e];
            at_end(alive & shared.ends[(both & 0xffff) * 32 + lane], both >> 16);
        }
        at_prefix();
    }
}

// Walks one colour, stem by stem.
template <class WalkStem>
DEVICE void walk_colour(const Batch& batch, const Pair& pair, u32 tree_number, u32 queue_number,
                        u32 first_co, const Shared& shared, WalkStem walk_stem) {
    Tree tree = at<Tree>(batch, batch.trees)[tree_number];
    Queue queue = at<Queue>(batch, batch.queues)[queue_number];
    const Stem* stems = at<Stem>(batch, tree.stems);
    const u64* squares = at<u64>(batch, tree.squares);
    u32 top = tree.stem_rows;
    for (u32 s = 0; s < tree.stem_count; s++) {
        u32 path = stems[s].path;
        // The levels whose choice is the one of the stem before need not be sifted again.
        u32 changed = s == 0 || top == 0 ? 0 : lowest(path ^ stems[s - 1].path) / 4;
        for (u32 level = changed; level < top; level++) {
            EACH_THREAD {
                if (thread == 0) {
                    shared.longest[level] = 0;
                }
            }
            BARRIER;
            u64 taken = squares[level * tree.cols + (path >> (4 * level) & 15)];
            EACH_THREAD { sift(batch, pair, queue, first_co, level, taken, shared, thread); }
            BARRIER;
        }
        if (top == 0) {
            EACH_THREAD {
                if (thread < 32) {
                    List list = list_of(batch, pair, queue, first_co, 0, thread, shared);
                    raise_to(&shared.longest[0], list.count);
                }
            }
            BARRIER;
        }
        u32 words = (shared.longest[top == 0 ? 0 : top - 1] + 31) / 32;
        for (u32 word = 0; word < words; word++) {
            EACH_THREAD { make_lines(batch, pair, queue, first_co, top, word, shared, thread); }
            BARRIER;
            EACH_THREAD { make_squares(batch, tree, shared, thread); }
            BARRIER;
            EACH_THREAD { make_ends(tree, shared, thread); }
            BARRIER;
            EACH_THREAD { walk_stem(tree, stems[s].first_prefix, stems[s + 1].first_prefix, thread); }
            BARRIER;
        }
    }
}

// Counts one job: the sum over its column sets of store * gather * weight.
DEVICE void count_job(const Batch& batch, u32 number, const Shared& shared) {
    Job job = at<Job>(batch, batch.jobs)[number];
    Pair pair = at<Pair>(batch, batch.pairs)[job.pair];
    EACH_THREAD {
        for (u32 cell = thread; cell < pair.table_rows * 32; cell += THREADS) {
            shared.table[cell] = 0;
        }
        shared.sums[thread] = 0;
        if (thread < MOST_STEM_ROWS) {
            shared.longest[thread] = 0;
        }
    }
    BARRIER;

    walk_colour(batch, pair, pair.store_tree, pair.store_queue, job.first_co, shared,
        [&](const Tree& tree, u32 begin, u32 end, u32 thread) {
            u32 lane = thread % 32;
            walk(batch, tree, begin, end, shared, thread,
                [&](u32 alive, u32 ce) { add_to(&shared.table[ce * 32 + lane], population(alive)); },
                [] {});
        });

    EACH_THREAD {
        const unsigned char* weights = at<unsigned char>(batch, pair.weights);
        for (u32 cell = thread; cell < pair.table_rows * 32; cell += THREADS) {
            u32 ce = cell / 32, co = job.first_co + cell % 32;
            u32 weight = ce >= pair.ce_limit || co >= pair.co_limit ? 0
                       : co < pair.last_co ? weights[ce] : 1;
            shared.table[cell] *= weight;
        }
        if (thread < MOST_STEM_ROWS) {
            shared.longest[thread] = 0;
        }
    }
    BARRIER;

    walk_colour(batch, pair, pair.gather_tree, pair.gather_queue, job.first_co, shared,
        [&](const Tree& tree, u32 begin, u32 end, u32 thread) {
            u32 lane = thread % 32;
            u64 sum = 0;
            if (pair.narrow) {
                // The products of one prefix fit 32 bits; see batch.rs.
                u32 part = 0;
                walk(batch, tree, begin, end, shared, thread,
                    [&](u32 alive, u32 ce) { part += population(alive) * shared.table[ce * 32 + lane]; },
                    [&] { sum += part; part = 0; });
            } else {
                walk(batch, tree, begin, end, shared, thread,
                    [&](u32 alive, u32 ce) {
                        sum += (u64)population(alive) * shared.table[ce * 32 + lane];
                    },
                    [] {});
            }
            shared.sums[thread] += sum;
        });

    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        EACH_THREAD {
            if (thread < half) {
                shared.sums[thread] += shared.sums[thread + half];
            }
        }
        BARRIER;
    }
    EACH_THREAD {
        if (thread == 0) {
            batch.sums[number] = shared.sums[0];
        }
    }
    BARRIER;
}

// Counts every job of the launch that falls to this block. The host reserves
// 8 * THREADS + 128 * (68 + 3 + square_planes + end_planes [+ table_rows]) bytes of shared
// memory: the planes of lines with their gaps, the counts, and one spare.
template <bool TABLE_IN_SHARED>
DEVICE void count_jobs(const Batch& batch, u64* memory) {
    Shared shared;
    shared.sums = memory;
    shared.lines = reinterpret_cast<u32*>(memory + THREADS);
    shared.counts = shared.lines + 64 * LINE_STEP;
    shared.longest = shared.counts + MOST_STEM_ROWS * 32;
    shared.squares = shared.longest + 32;
    shared.ends = shared.squares + batch.square_planes * 32;
    shared.table = TABLE_IN_SHARED ? shared.ends + batch.end_planes * 32
                                   : batch.tables + (u64)BLOCK * batch.table_rows * 32;
    for (u32 job = batch.first_job + BLOCK; job < batch.job_end; job += BLOCKS) {
        count_job(batch, job, shared);
    }
}

#ifdef __CUDACC__
extern __shared__ u64 shared_memory[];

extern "C" __global__ void __launch_bounds__(1024) count_in_shared(const Batch batch) {
    count_jobs<true>(batch, shared_memory);
}

extern "C" __global__ void __launch_bounds__(1024) count_in_global(const Batch batch) {
    count_jobs<false>(batch, shared_memory);
}
#endif
