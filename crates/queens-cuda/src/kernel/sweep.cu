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
DEVICE void hand_over(const SweepLaunch& launch, const CoreEntry& core, u32* slab, u16* table,
                      SweepFixed& fixed) {
    EACH_THREAD {
        u64 found = 0;
        for (u32 index = thread; index < launch.indices; index += THREADS) {
            for (u32 word = 0; word < ENTRY_WORDS; word++) {
                u32 both = read_and_clear_there(slab + index * ENTRY_WORDS + word);
                for (u32 half = 0; half < 2; half++) {
                    u32 row_set = core.row_sets[2 * word + half];
                    u32 count = both >> (16 * half) & 0xffff;
                    found += count;
                    if (row_set != NONE_16) {
                        table[(u64)row_set * launch.row_step + index] = (u16)count;
                    }
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

// Notes which cells count for which distance of two columns, and clears what jobs count on.
DEVICE void begin_job(const CoreEntry& core, SweepFixed& fixed) {
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
        }
    }
    BARRIER;
}

// Does jobs of the launch until none is left; blocks take them one by one.
template <u32 FREE>
DEVICE void sweep_jobs(const SweepLaunch& launch, u64* memory) {
    SweepFixed& fixed = *reinterpret_cast<SweepFixed*>(memory);
    CohortMemory* cohorts = reinterpret_cast<CohortMemory*>(&fixed + 1);
    PartialList* lists = reinterpret_cast<PartialList*>(cohorts + THREADS / LANES);
    u32 warps = THREADS / LANES, depth = launch.core_rows;
    u32* slab = launch.slabs + (u64)BLOCK * launch.indices * ENTRY_WORDS;
    u64* scratch = launch.scratch + (u64)BLOCK * warps * launch.scratch_room;
    EACH_THREAD {
        if (thread == 0) {
            u32 pair = 0;
            for (u32 a = 0; a < FREE; a++) {
                for (u32 b = a + 1; b < FREE; b++, pair++) {
                    fixed.pairs[pair][0] = (u8)a;
                    fixed.pairs[pair][1] = (u8)b;
                }
            }
        }
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
        begin_job(core, fixed);
        Source source = {launch.lines + launch.starts[listed],
                         launch.starts[listed + 1] - launch.starts[listed], lists, scratch};
        for (u32 level = 1; level < depth; level++) {
            const u16* sets = launch.sets + launch.level_starts[level];
            u32 number = launch.level_starts[level + 1] - launch.level_starts[level];
            PartialList* made = lists + launch.list_places[level];
            EACH_WARP {
                u32 lane = LANE;
                // Lists of the level before stand in the other half.
                u32 half = launch.scratch_room / 2, begin = warp * launch.scratch_room;
                Arena arena = {begin + level % 2 * half, begin + (level % 2 + 1) * half};
                for (;;) {
                    u32 place = FIRST(lane == 0 ? take(&fixed.next_set) : 0);
                    if (place >= number) {
                        break;
                    }
                    PartialList list =
                        make_list(launch, core, source, level, sets[place], scratch, arena, lane);
                    if (lane == 0) {
                        made[place] = list;
                    }
                }
            };
            BARRIER;
            EACH_THREAD {
                if (thread == 0) {
                    fixed.next_set = 0;
                }
            }
            BARRIER;
            source.lists = made;
        }
        const u16* sets = launch.sets + launch.level_starts[depth];
        u32 number = launch.level_starts[depth + 1] - launch.level_starts[depth];
        EACH_WARP {
            u32 lane = LANE;
            u64 balance = 0;
            for (;;) {
                u32 place = FIRST(lane == 0 ? take(&fixed.next_set) : 0);
                if (place >= number) {
                    break;
                }
                count_cohort<FREE>(launch, core, fixed, source, sets[place], cohorts[warp], slab,
                                   balance, lane);
            }
            add_to_64(&fixed.balance, balance);
        };
        BARRIER;
        hand_over(launch, core, slab, launch.tables + table * launch.table_step, fixed);
    }
}
