// Counting: the sum of white times black for pairs of row sets.
//
// A job is the work of one block of threads: some pairs of row sets and some odd indices. First the
// colour with fewer queens, or white if both have as many, is *stored*: the tile gets its number of
// placements for each even and each odd index. Then the other colour *gathers*: each of its
// placements looks up the count for its columns in the tile, and these counts are added up. The
// counts never leave the multiprocessor, only the job's sum does.
//
//     stored walk x stored scan  ->  tile  ->  gathering walk x gathering scan  ->  sum
//                                 count per cell
//
// Either colour can *scan* (`scan.cu`) or *unfold* (`unfold.cu`); the host decides for each class.
//
// No counter overflows unnoticed. Let M be the most placements of one even index in the stored
// walk, and Q the length of the longest list of one odd index in the stored scan. Then a count is
// at most M * Q, and a weighed count at most 4 times that. The host refuses a pair if that does not
// fit 32 bits, or if the job's sum might not fit 64. A count may not fit a narrow cell of 16 bits:
//
// 1. Scanning adds many survivors at a time. A carry makes the sum of all cells smaller than the
//    number of survivors that were added, and nothing makes it larger. So the two are compared.
// 2. Unfolding adds one at a time and sees the value before. So it sees a cell with its highest bit
//    set long before a carry.
// 3. Weighing multiplies in 32 bits and compares.
//
// In each case the flag is set, and the host counts the batch again with cells of 32 bits.

// Fills the tile with the stored colour's counts times their weights. Sets the flag if one of the
// three ways above finds that a count does not fit its cell.
template <class Cell, bool UNFOLDS>
DEVICE void store(const Launch& launch, const JobEntry& job, const Shared& shared) {
    const bool NARROW = sizeof(Cell) == 2;
    u32 bits = launch.width_bits;
    Side side = begin_side<true>(launch, job, shared);
    // The row behind the filled ones stays 0. The one after it matters only for the sum.
    u32 cells = (side.even_limit + 2) << bits;
    EACH_THREAD {
        for (u32 word = thread; word < (NARROW ? cells / 2 : cells); word += THREADS) {
            shared.tile[word] = 0;
        }
    }
    BARRIER;
    bool unfolds = UNFOLDS && launch.stored_even_index_of != 0;
    if (unfolds) {
        unfold<Cell, false, true>(launch, job, shared);
        BARRIER;
    } else {
        scan<Adder<Cell>>(launch, side, shared);
    }
    EACH_THREAD {
        Cell* tile = reinterpret_cast<Cell*>(shared.tile);
        u64 sum = 0;
        for (u32 cell = thread; cell < cells; cell += THREADS) {
            u32 even = cell >> bits, list = cell & ((1u << bits) - 1);
            u32 value = tile[cell];
            sum += value;
            if (list < side.lists) {
                List of = shared.lists[list];
                value *= even >= of.limit   ? 0
                         : of.weights != 0 ? at<u8>(launch, of.weights)[even]
                                           : 1;
            }
            // 3: the count fits, but not the weighed count.
            if ((Cell)value != value) {
                *launch.flag = TOO_LARGE;
            }
            tile[cell] = (Cell)value;
        }
        add_warp(&shared.sums[thread / 32], NARROW && !unfolds ? 0 - sum : 0, thread % 32);
    }
    add_up(shared);
    EACH_THREAD {
        // 1: a carry out of a narrow cell, after scanning. (2 is in `unfold`.)
        if (thread == 0 && *shared.total != 0) {
            *launch.flag = TOO_LARGE;
        }
    }
}

// Gathers by scanning, for a job of one pair.
template <class Cell>
DEVICE void gather(const Launch& launch, const JobEntry& job, const Shared& shared) {
    Side side = begin_side<false>(launch, job, shared);
    scan<Summer<Cell>>(launch, side, shared);
}

// Counts jobs of the launch until none is left; blocks take them one by one.
template <class Cell, bool UNFOLDS, bool REVERSES>
DEVICE void count_jobs(const Launch& launch, u64* memory) {
    Shared shared = share_out<Cell>(launch, memory);
    EACH_THREAD {
        if (thread < MOST_WARPS) {
            shared.sums[thread] = 0;
        }
    }
    for (;;) {
        EACH_THREAD {
            if (thread == 0) {
                *shared.job = launch.first_job + take(launch.next_job);
            }
        }
        BARRIER;
        u32 number = *shared.job;
        if (number >= launch.job_end) {
            return;
        }
        JobEntry job = at<JobEntry>(launch, launch.jobs)[number];
        store<Cell, UNFOLDS>(launch, job, shared);
        if (UNFOLDS) {
            unfold<Cell, REVERSES, false>(launch, job, shared);
        } else {
            gather<Cell>(launch, job, shared);
        }
        add_up(shared);
        EACH_THREAD {
            if (thread == 0) {
                launch.sums[number] = *shared.total;
            }
        }
        BARRIER;
    }
}
