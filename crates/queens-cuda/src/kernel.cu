// Two-colour counting on a GPU: the sum of black * white for pairs of row sets.
//
// A block counts one pair (RE, RO) for 32 neighbouring Co's; lane l of every warp has the
// l-th of them. One placement q of the lane's Co is one bit: a lane holds 32 of them in a
// word, and for every square of the tree's small board a *plane*, the word of those q's that
// a queen on that square does not attack. A warp then walks the tree of p's with all its
// lanes together, since a prefix is the same for every Co: one AND per queen, one more for the
// two last queens together, one population count. Nothing diverges.
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
    u32 prefix_count;
    u32 rows, end_rows, cols;
    u32 unused;
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
    u32 unused;
};

struct alignas(16) Job {
    u32 pair, first_co;
    u32 store_words, gather_words;  // words of 32 placements that the longest lane has
};

struct Batch {
    const u64* words;
    u64* sums;                      // one per job
    u32* tables;                    // one per block, where they do not fit shared memory
    u32 trees, queues, pairs, jobs; // places
    u32 first_job, job_end;
    u32 square_planes, end_planes;  // room for this many planes
    u32 table_rows;                 // room for this many rows
};

// Shared memory. A plane is 32 words, one per lane.
struct Shared {
    u64* sums;          // one per thread
    u32* lines;         // 64 planes of lines, then one of the bits that stand for a q
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

// Bit b of word k becomes bit k of word b.
DEVICE void transpose(u32 (&words)[32]) {
    u32 mask = 0x0000ffff;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
#pragma unroll
        for (u32 k = 0; k < 32; k++) {
            if ((k & step) == 0) {
                u32 change = (words[k] >> step ^ words[k | step]) & mask;
                words[k] ^= change << step;
                words[k | step] ^= change;
            }
        }
        mask ^= mask << (step / 2);
    }
}

// Turns 32 placements per lane into planes of lines. Warp 0 takes the diagonals, warp 1 the
// anti-diagonals.
DEVICE void make_lines(const Batch& batch, const Pair& pair, const Queue& queue, u32 first_co,
                       u32 word, const Shared& shared, u32 thread) {
    u32 lane = thread % 32, half = thread / 32;
    if (half >= 2) {
        return;
    }
    const u32* halves = at<u32>(batch, queue.lines);
    u32 start = 0, end = 0;
    if (first_co + lane < pair.co_limit) {
        const u32* starts = at<u32>(batch, queue.starts) + first_co + lane;
        start = starts[0] + 32 * word;
        end = starts[1];
    }
    u32 count = start < end ? end - start : 0;
    u32 words[32];
#pragma unroll
    for (u32 b = 0; b < 32; b++) {
        words[b] = b < count ? halves[2 * (start + b) + half] : 0;
    }
    transpose(words);
#pragma unroll
    for (u32 k = 0; k < 32; k++) {
        shared.lines[(32 * half + k) * 32 + lane] = words[k];
    }
    if (half == 0) {
        shared.lines[64 * 32 + lane] = count < 32 ? (1u << count) - 1 : ~0u;
    }
}

// The plane of each square: the q's that a queen there leaves alive.
DEVICE void make_squares(const Batch& batch, const Tree& tree, const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    const u64* squares = at<u64>(batch, tree.squares);
    u32 real = shared.lines[64 * 32 + lane];
    for (u32 s = thread / 32; s < tree.rows * tree.cols; s += THREADS / 32) {
        u64 lines = squares[s];
        u32 diag = shared.lines[lowest((u32)lines) * 32 + lane];
        u32 anti = shared.lines[(32 + lowest((u32)(lines >> 32))) * 32 + lane];
        shared.squares[s * 32 + lane] = real & ~(diag | anti);
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
            plane = shared.lines[64 * 32 + lane];
        }
        shared.ends[e * 32 + lane] = plane;
    }
}

// Walks a warp's share of the tree's prefixes and calls at_end with the surviving q's and the
// Ce of every placement.
template <class AtEnd>
DEVICE void walk(const Batch& batch, const Tree& tree, const Shared& shared, u32 thread,
                 AtEnd at_end) {
    u32 lane = thread % 32, warp = thread / 32, warps = THREADS / 32;
    const Prefix* prefixes = at<Prefix>(batch, tree.prefixes);
    const u32* ends = at<u32>(batch, tree.ends);
    u32 depth = tree.rows - tree.end_rows, cols = tree.cols;
    u32 first = (u64)tree.prefix_count * warp / warps;
    u32 last = (u64)tree.prefix_count * (warp + 1) / warps;
    // What survives all queens of the prefix but its last.
    u32 stem = ~0u;
    for (u32 i = first; i < last; i++) {
        Prefix prefix = prefixes[i];
        u32 alive = ~0u;
        if (depth > 0) {
            if (i == first || prefix.from + 1u < depth) {
                stem = ~0u;
                u64 path = prefix.path;
                const u32* row = shared.squares + lane;
                for (u32 level = 0; level + 1 < depth; level++) {
                    stem &= row[((u32)path & 15) * 32];
                    path >>= 4;
                    row += cols * 32;
                }
            }
            u32 j = (u32)(prefix.path >> (4 * (depth - 1))) & 15;
            alive = stem & shared.squares[((depth - 1) * cols + j) * 32 + lane];
            if (!ANY_LANE(alive != 0)) {
                continue;
            }
        }
        const u32* end = ends + prefix.first_end;
#pragma unroll 4
        for (u32 e = 0; e < prefix.ends; e++) {
            u32 both = end[e];
            at_end(alive & shared.ends[(both & 0xffff) * 32 + lane], both >> 16);
        }
    }
}

// Makes the planes of one word of every lane.
DEVICE void make_planes(const Batch& batch, const Pair& pair, const Tree& tree, const Queue& queue,
                        u32 first_co, u32 word, const Shared& shared) {
    EACH_THREAD { make_lines(batch, pair, queue, first_co, word, shared, thread); }
    BARRIER;
    EACH_THREAD { make_squares(batch, tree, shared, thread); }
    BARRIER;
    EACH_THREAD { make_ends(tree, shared, thread); }
    BARRIER;
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
    }
    // The barriers of make_planes stand between this and the first use of the table.

    Tree tree = at<Tree>(batch, batch.trees)[pair.store_tree];
    Queue queue = at<Queue>(batch, batch.queues)[pair.store_queue];
    for (u32 word = 0; word < job.store_words; word++) {
        make_planes(batch, pair, tree, queue, job.first_co, word, shared);
        EACH_THREAD {
            u32 lane = thread % 32;
            walk(batch, tree, shared, thread, [&](u32 alive, u32 ce) {
                add_to(&shared.table[ce * 32 + lane], population(alive));
            });
        }
        BARRIER;
    }

    EACH_THREAD {
        const unsigned char* weights = at<unsigned char>(batch, pair.weights);
        for (u32 cell = thread; cell < pair.table_rows * 32; cell += THREADS) {
            u32 ce = cell / 32, co = job.first_co + cell % 32;
            u32 weight = ce >= pair.ce_limit || co >= pair.co_limit ? 0
                       : co < pair.last_co ? weights[ce] : 1;
            shared.table[cell] *= weight;
        }
    }
    BARRIER;

    tree = at<Tree>(batch, batch.trees)[pair.gather_tree];
    queue = at<Queue>(batch, batch.queues)[pair.gather_queue];
    for (u32 word = 0; word < job.gather_words; word++) {
        make_planes(batch, pair, tree, queue, job.first_co, word, shared);
        EACH_THREAD {
            u32 lane = thread % 32;
            u64 sum = 0;
            walk(batch, tree, shared, thread, [&](u32 alive, u32 ce) {
                sum += (u64)population(alive) * shared.table[ce * 32 + lane];
            });
            shared.sums[thread] += sum;
        }
        BARRIER;
    }

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
// 8 * THREADS + 128 * (65 + square_planes + end_planes [+ table_rows]) bytes of shared memory.
template <bool TABLE_IN_SHARED>
DEVICE void count_jobs(const Batch& batch, u64* memory) {
    Shared shared;
    shared.sums = memory;
    shared.lines = reinterpret_cast<u32*>(memory + THREADS);
    shared.squares = shared.lines + 65 * 32;
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
