// Sweeping: the table of one colour for some listed columns and all odd row sets.
//
// A job is one listed index and one core, the work of one block of threads:
//
//     listed placements  ->  level 1  ->  level 2  ->  ...  ->  cohorts  ->  slab  ->  table
//                               `sift.cu`                     `cohort.cu`
//
// The warps of a block share the column sets of a level, and then the cohorts. At the end the block
// hands its slab over: a cell of it is the count of one row set and one index of the swept columns,
// and goes to the row of that row set in the table of the listed index.
//
// No count overflows unnoticed. Cells have 16 bits, two of them to a word, and a carry out of either
// makes the sum of all cells smaller than what was added to them, by 65,535 or 65,536. Nothing makes
// it larger. So the two sums are compared, and the flag is set where they differ. It is set, too,
// where a warp has no room for partial placements. The host throws all tables of such a launch away.

// Hands the slab over to the table, and clears it.
DEVICE void hand_over(const SweepLaunch& launch, u32* slab, u16* table, SweepFixed& fixed) {
    EACH_THREAD {
        u64 found = 0;
        for (u32 index = thread; index < launch.indices; index += THREADS) {
            // All of an entry at once, so that the thread waits for it once.
            u32 entry[ENTRY_WORDS];
            for (u32 word = 0; word < ENTRY_WORDS; word += 4) {
                read_and_clear_there(slab + index * ENTRY_WORDS + word, entry + word);
            }
            for (u32 cell = 0; cell < 2 * ENTRY_WORDS; cell++) {
                u32 row_set = fixed.core.row_sets[cell];
                u32 count = entry[cell / 2] >> (16 * (cell % 2)) & 0xffff;
                found += count;
                if (row_set != NONE_16) {
                    table[(u64)row_set * launch.row_step + index] = (u16)count;
                }
            }
        }
        add_to_64(&fixed.balance, 0 - found);
    }
    BARRIER;
    EACH_THREAD {
        if (thread == 0 && fixed.balance != 0) {
            *launch.flag = TOO_LARGE;
        }
    }
}

// Notes what is listed, the core, and which cells count for which distance of two columns, and clears
// what jobs count on.
DEVICE void begin_job(const SweepLaunch& launch, u32 listed, const CoreEntry& core,
                      SweepFixed& fixed) {
    EACH_THREAD {
        for (u32 number = thread; number < MOST_ROWS * LANES; number += THREADS) {
            u32 distance = number / LANES, lane = number % LANES, g = lane / 4, t = lane % 4;
            u32 mask = 0;
            for (u32 half = 0; half < 2; half++) {
                u32 j = 2 * t + half;
                bool is_pair = distance > 0 && g < j && j < core.open_count;
                if (is_pair && core.open[j] - core.open[g] != (int)distance
                    && core.row_sets[2 * word_of_entry(g, t) + half] != NONE_16) {
                    mask |= 0xffffu << (16 * half);
                }
            }
            fixed.masks[distance][lane] = mask;
        }
        if (thread == 0) {
            fixed.balance = 0;
            fixed.next_set = 0;
            fixed.listed = launch.lines + launch.starts[listed];
            fixed.listed_length = launch.starts[listed + 1] - launch.starts[listed];
            fixed.lists_before = 0;
            fixed.core = core;
        }
    }
    BARRIER;
}

// Calls a function with the places of column sets, which the warps of a block take one by one. The next
// one is taken before it is needed.
template <class Do>
DEVICE void each_set(SweepFixed& fixed, u32 number, u32 lane, Do act) {
    u32 counter = number_of(&fixed, &fixed.next_set);
    u32 taken = lane == 0 ? add(&fixed, counter, 1) : 0;
    for (;;) {
        u32 place = FIRST(taken);
        if (place >= number) {
            return;
        }
        taken = lane == 0 ? add(&fixed, counter, 1) : 0;
        act(place);
    }
}

// Does jobs of the launch until none is left; blocks take them one by one.
template <u32 FREE>
DEVICE void sweep_jobs(const SweepLaunch& launch, u64* memory) {
    SweepFixed& fixed = *reinterpret_cast<SweepFixed*>(memory);
    CohortMemory* cohorts = reinterpret_cast<CohortMemory*>(&fixed + 1);
    PartialList* lists = reinterpret_cast<PartialList*>(cohorts + THREADS / LANES);
    u32 warps = THREADS / LANES, depth = launch.core_rows;
    u32* slab = launch.slabs + (u64)BLOCK * launch.indices * ENTRY_WORDS;
    Job job = {fixed, lists, launch.scratch + (u64)BLOCK * warps * launch.scratch_room};
    EACH_THREAD {
        for (u32 word = thread; word < launch.indices * ENTRY_WORDS; word += THREADS) {
            slab[word] = 0;
        }
    }
    for (;;) {
        BARRIER;
        EACH_THREAD {
            if (thread == 0) {
                fixed.job = take(launch.next_job);
            }
        }
        BARRIER;
        if (fixed.job >= launch.jobs) {
            return;
        }
        u32 table = fixed.job / launch.core_count, listed = launch.first_listed + table;
        const CoreEntry& core = launch.cores[fixed.job % launch.core_count];
        begin_job(launch, listed, core, fixed);
        for (u32 level = 1; level < depth; level++) {
            const u16* sets = launch.sets + launch.level_starts[level];
            u32 number = launch.level_starts[level + 1] - launch.level_starts[level];
            PartialList* made = lists + launch.list_places[level];
            EACH_WARP {
                u32 lane = LANE;
                // Lists of the level before stand in the other half.
                u32 half = launch.scratch_room / 2, begin = warp * launch.scratch_room;
                Arena arena = {begin + level % 2 * half, begin + (level % 2 + 1) * half};
                each_set(fixed, number, lane, [&](u32 place) {
                    PartialList list =
                        make_list(launch, job, level, sets[place], arena, lane);
                    if (lane == 0) {
                        made[place] = list;
                    }
                });
            };
            BARRIER;
            EACH_THREAD {
                if (thread == 0) {
                    fixed.next_set = 0;
                    fixed.lists_before = launch.list_places[level];
                }
            }
            BARRIER;
        }
        u32 number = launch.level_starts[depth + 1] - launch.level_starts[depth];
        EACH_WARP {
            u32 lane = LANE;
            u32 balance = 0;
            each_set(fixed, number, lane, [&](u32 place) {
                count_cohort<FREE>(launch, job, place, cohorts[warp], slab, balance, lane);
            });
            add_to_64(&fixed.balance, balance);
        };
        BARRIER;
        hand_over(launch, slab, launch.tables + table * launch.table_step, fixed);
    }
}
