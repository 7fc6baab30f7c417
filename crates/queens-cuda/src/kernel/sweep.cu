// Sweeping: the table of one colour for some listed columns and all odd row sets.
//
// A job is one listed index and one core, the work of one block of threads:
//
//     listed placements  ->  level 1  ->  level 2  ->  ...  ->  cohorts  ->  slab  ->  table
//                        `deal.cu`                               `cohort.cu`
//
// The warps of a block share the lists of each level, and then the cohorts. At the end the block
// hands its slab over: each count in it belongs to one row set and one index of the swept columns,
// and goes to the row of that row set in the table of the listed index.
//
// No count overflows unnoticed. Cells have 16 bits, two to a word. A carry out of either makes the
// sum of all cells smaller, by 65,535 or 65,536, than the sum of everything that was added to them.
// Nothing makes it larger. So the two sums are compared, and the flag is set if they differ. The
// flag is also set if a list has no room for its partial placements. In either case the host
// discards all tables of the launch. If room was the reason, it has fewer listed placements of an
// index, a *portion*, dealt at a time.

// Hands the slab over to the table, and clears the slab.
DEVICE void hand_over(const SweepLaunch& launch, u32* slab, u16* table, SweepFixed& fixed) {
    EACH_THREAD {
        // A thread has a few entries of 28 counts each.
        u32 found = 0, all = 0, row_sets = number_of(&fixed, fixed.core.row_sets);
#pragma unroll 1
        for (u32 index = thread; index < launch.indices; index += THREADS) {
            // Read all of an entry first, so that the thread waits only once.
            u32 entry[ENTRY_WORDS];
            for (u32 word = 0; word < ENTRY_WORDS; word += 4) {
                read_and_clear_there(slab + index * ENTRY_WORDS + word, entry + word);
            }
            u16* column = opaque(table + index);
            auto count_of = [&](u32 cell) { return entry[cell / 2] >> (16 * (cell % 2)) & 0xffff; };
#pragma unroll
            for (u32 g = 0; g < OPEN_ROWS; g++) {
#pragma unroll
                for (u32 j = g + 1; j < OPEN_ROWS; j++) {
                    // Read and added where they are needed, because registers are few.
                    u32 row_set = read<u16>(&fixed, row_sets + 2 * upper_cell(g, j));
                    u32 count = count_of(upper_cell(g, j)) + count_of(lower_cell(g, j));
                    found = opaque(found + count);
                    all |= count;
                    if (row_set != NONE_16) {
                        column[(u64)row_set * launch.row_step] = (u16)count;
                    }
                }
            }
        }
        if (all > 0xffff) {
            *launch.flag = TOO_LARGE;
        }
        add_warp_to_64(&fixed.balance, 0 - (u64)found, thread % LANES);
    }
    BARRIER;
    EACH_THREAD {
        if (thread == 0 && fixed.balance != 0) {
            *launch.flag = TOO_LARGE;
        }
    }
}

// Copies the core, and notes which cells count for each distance of two columns.
DEVICE void begin_job(const CoreEntry& core, SweepFixed& fixed) {
    EACH_THREAD {
        for (u32 number = thread; number < MOST_ROWS * LANES; number += THREADS) {
            u32 distance = number / LANES, lane = number % LANES, g = lane / 4, t = lane % 4;
            u32 mask = 0;
            for (u32 half = 0; half < 2; half++) {
                u32 j = 2 * t + half, low = smaller(g, j), high = g + j - low;
                bool is_pair = distance > 0 && low < high && high < core.open_count;
                if (is_pair && core.open[high] - core.open[low] != (int)distance
                    && core.row_sets[upper_cell(low, high)] != NONE_16) {
                    mask |= 0xffffu << (16 * half);
                }
            }
            fixed.masks[distance][lane] = mask;
        }
        if (thread == 0) {
            fixed.balance = 0;
            fixed.core = core;
        }
    }
    BARRIER;
}

// Resets the counter from which the warps of a block take pieces.
DEVICE void begin_pieces(SweepFixed& fixed) {
    EACH_THREAD {
        if (thread == 0) {
            fixed.next_piece = 0;
        }
    }
    BARRIER;
}

// Adds the counts of all placements that extend a portion of listed placements to the slab.
template <u32 FREE>
DEVICE void count_portion(const SweepLaunch& launch, const Job& job, CohortMemory* cohorts, u32* slab) {
    SweepFixed& fixed = job.fixed;
    for (u32 level = 0; level < launch.core_rows; level++) {
        // They replace the lists of `level - 1`, which are not needed any more.
        clear_lists(launch, job, level + 1);
        begin_pieces(fixed);
        EACH_WARP {
            deal_lists(launch, job, level, cohorts[warp], LANE);
        };
        BARRIER;
    }
    begin_pieces(fixed);
    EACH_WARP {
        u32 balance = 0;
        count_cohorts<FREE>(launch, job, cohorts[warp], slab, balance, LANE);
        add_warp_to_64(&fixed.balance, balance, LANE);
    };
    BARRIER;
}

// Does jobs of the launch until none is left; blocks take them one by one.
template <u32 FREE>
DEVICE void sweep_jobs(const SweepLaunch& launch, u64* memory) {
    SweepFixed& fixed = *reinterpret_cast<SweepFixed*>(memory);
    CohortMemory* cohorts = reinterpret_cast<CohortMemory*>(&fixed + 1);
    u32* ends = reinterpret_cast<u32*>(cohorts + THREADS / LANES);
    u32* slab = launch.slabs + (u64)BLOCK * launch.indices * ENTRY_WORDS;
    Job job = {fixed, ends, launch.scratch + (u64)BLOCK * 2 * launch.scratch_room};
    EACH_THREAD {
        for (u32 word = thread; word < launch.indices * ENTRY_WORDS; word += THREADS) {
            slab[word] = 0;
        }
        if (thread < LANES) {
            fixed.turnings[thread] = turning(thread);
        }
    }
    for (;;) {
        BARRIER;
        EACH_THREAD {
            if (thread == 0) {
                // If any table is wrong, all are discarded, so the block stops.
                fixed.job = read_now(launch.flag) == 0 ? take(launch.next_job) : launch.jobs;
            }
        }
        BARRIER;
        if (fixed.job >= launch.jobs) {
            return;
        }
        u32 table = fixed.job / launch.core_count, listed = launch.first_listed + table;
        const CoreEntry& core = launch.cores[fixed.job % launch.core_count];
        begin_job(core, fixed);
        u32 end = launch.starts[listed + 1];
        for (u32 first = launch.starts[listed]; first < end; first += launch.portion) {
            EACH_THREAD {
                if (thread == 0) {
                    fixed.listed = launch.lines + first;
                    fixed.listed_length = smaller(end - first, launch.portion);
                }
            }
            count_portion<FREE>(launch, job, cohorts, slab);
        }
        hand_over(launch, slab, launch.tables + table * launch.table_step, fixed);
    }
}
