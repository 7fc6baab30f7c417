// Sifting: from partial placements of a level to those of the next.
//
// A partial placement is a listed placement and queens in the first rows of a core. All that is kept
// of it are the lines of both, 64 bits. Partial placements whose core queens stand in the same
// columns are a list. For a set of columns, and the row of its level, the list comes from those with
// one column less:
//
//     level 1    {0}       {2}       {5}
//                   \       |       /
//     level 2        {0, 2}   {2, 5}           {2, 5}: what {5} has and row 1, column 2 leaves free,
//                                              and what {2} has and row 1, column 5 leaves free
//
// A warp makes one list at a time. 32 lanes try one partial placement each, and a ballot tells where
// those that survive go. The last level is not written down: its lists are the cohorts.

// What a block has for the job: it is read where it is needed, so that no register has to keep it.
struct Job {
    SweepFixed& fixed;
    PartialList* lists;     // of two levels
    u64* scratch;           // the block's
};

// Everything that leads to a set of columns: a list for each of its columns, and a queen in that column.
// Level 0 is the listed placements themselves, with no queen.
struct Sieve {
    const u64* from;
    u32 start, length;      // the list of the column that the lane has the number of
    u32 diag, anti;         // the lines of the queen's square in column 0
    u32 columns;            // those whose lists are not sifted yet
    const u64* next;        // of the list that is sifted, what the lane reads next
    u32 left, column;       // how much is left of it, and whose it is
};

DEVICE Sieve begin_sifting(const SweepLaunch& launch, const Job& job, u32 level, u32 set, u32 lane) {
    const u64* listed = job.fixed.listed;
    Sieve sieve = {listed, 0, job.fixed.listed_length, 0, 0, 1, listed, 0, 0};
    // No column has the number of the last lane.
    if (lane == LANES - 1) {
        sieve.length = 0;
    }
    if (level > 0) {
        u32 row = job.fixed.core.rows[level - 1];
        sieve.diag = 1u << (launch.diag_offset - row);
        sieve.anti = 1u << (launch.anti_offset + row);
        sieve.columns = set;
    }
    if (level > 1) {
        sieve.from = job.scratch;
        sieve.length = 0;
        if (set >> lane & 1) {
            u32 place = job.fixed.lists_before + launch.place_of[set ^ 1u << lane];
            PartialList list = job.lists[place];
            sieve.start = list.start;
            sieve.length = list.length;
        }
        sieve.columns = BALLOT(sieve.length > 0);
    }
    return sieve;
}

// Goes on where the sifting for a cohort was left. Columns are taken from the last one down.
DEVICE void resume_sifting(Sieve& sieve, const CohortMemory& cohort, u32 lane) {
    sieve.column = cohort.column;
    sieve.columns &= (1u << sieve.column) - 1;
    sieve.left = cohort.items_left;
    u32 end = FROM(sieve.start + sieve.length, sieve.column);
    sieve.next = sieve.from + (end - sieve.left + lane);
}

// Partial placements of one list that a warp has read.
struct Portion {
    u32 left;               // how many there are from here to the end of the list; 0 for none
    u32 column;             // whose list it is
    u64 item[SIFTED / LANES];
};

// Begins to read the next portion. What lanes read beyond the list is in the card's memory, too, and is not
// looked at.
DEVICE void next_portion(Sieve& sieve, Portion& portion, u32 lane) {
    if (sieve.left == 0) {
        // Where no column is left, the last lane has an empty list.
        sieve.column = highest_or_none(sieve.columns);
        sieve.columns &= ~shifted_up(1, sieve.column);
        sieve.next = sieve.from + (FROM(sieve.start, sieve.column) + lane);
        sieve.left = FROM(sieve.length, sieve.column);
    }
    portion.left = sieve.left;
    portion.column = sieve.column;
#pragma unroll
    for (u32 step = 0; step < SIFTED / LANES; step++) {
        read_there_if(portion.item[step], sieve.next + step * LANES, step * LANES < sieve.left);
    }
    sieve.next += SIFTED;
    sieve.left -= smaller(sieve.left, SIFTED);
}

// Sifts a portion behind `length` others, and begins to read another in its place. 32 lanes try one
// partial placement each; those that survive are handed to `write`, each with its place.
template <class Write>
DEVICE void sift(Sieve& sieve, Portion& portion, u32& length, u32 lane, Write write) {
    u32 diag = shifted_up(sieve.diag, portion.column), anti = shifted_up(sieve.anti, portion.column);
    int behind = (int)(portion.left - lane);
#pragma unroll
    for (u32 step = 0; step < SIFTED / LANES; step++) {
        u64 item = portion.item[step];
        u32 met = ((u32)item & diag) | ((u32)(item >> 32) & anti);
        bool survives = behind > (int)(step * LANES) && met == 0;
        u32 votes = BALLOT(survives);
        write(length + lanes_before(votes, lane), item | ((u64)anti << 32 | diag), survives);
        length += population(votes);
    }
    next_portion(sieve, portion, lane);
}

// Where a warp writes the lists of a level.
struct Arena {
    u32 next, end;
};

// Makes the list of a set of columns, in the warp's arena.
DEVICE PartialList make_list(const SweepLaunch& launch, const Job& job, u32 level, u32 set,
                             Arena& arena, u32 lane) {
    u32 start = arena.next, length = 0;
    Sieve sieve = begin_sifting(launch, job, level, set, lane);
    u64* to = opaque(job.scratch + start);
    auto write = [&](u32 place, u64 item, bool survives) {
        write_there_if(to + place, item, survives);
    };
    // Memory is far away: while one portion is sifted, three are on their way.
    Portion portions[4];
    for (Portion& portion : portions) {
        next_portion(sieve, portion, lane);
    }
    while (portions[0].left > 0) {
        if (arena.end - start < length + 4 * SIFTED) {
            *launch.flag = NO_ROOM;
            break;
        }
        sift(sieve, portions[0], length, lane, write);
        sift(sieve, portions[1], length, lane, write);
        if (portions[2].left == 0) {
            break;
        }
        sift(sieve, portions[2], length, lane, write);
        sift(sieve, portions[3], length, lane, write);
    }
    arena.next += length;
    return {start, length};
}

// Finds a cohort and counts its last two queens, as many placements at a time as a product takes. Its
// columns have this place among those of the last level.
template <u32 FREE>
DEVICE void count_cohort(const SweepLaunch& launch, const Job& job, u32 place, CohortMemory& cohort,
                         u32* slab, u32& balance, u32 lane) {
    u32 set = launch.sets[launch.level_starts[launch.core_rows] + place], length = 0;
    fetch_record<FREE>(launch, job.fixed, cohort, place, lane);
    u32 to = opaque(number_of(&job.fixed, placements_of(cohort)));
    auto write = [&](u32 place, u64 item, bool survives) {
        u32 there = to + place * (u32)sizeof(u64);
        write_if(&job.fixed, survives, there, (u32)item, (u32)(item >> 32));
    };
    for (bool resumes = false;; resumes = true) {
        Sieve sieve = begin_sifting(launch, job, launch.core_rows, set, lane);
        if (resumes) {
            resume_sifting(sieve, cohort, lane);
        }
        Portion portions[4];
        for (Portion& portion : portions) {
            next_portion(sieve, portion, lane);
        }
        // What is not sifted yet: how many of which list.
        u32 left, column;
        for (;;) {
            left = portions[0].left, column = portions[0].column;
            if (left == 0 || length >= PRODUCT_BITS) {
                break;
            }
            sift(sieve, portions[0], length, lane, write);
            sift(sieve, portions[1], length, lane, write);
            left = portions[2].left, column = portions[2].column;
            if (left == 0 || length >= PRODUCT_BITS) {
                break;
            }
            sift(sieve, portions[2], length, lane, write);
            sift(sieve, portions[3], length, lane, write);
        }
        if (length == 0) {
            // The record must not arrive behind the next one.
            await_copies();
            return;
        }
        // A product needs all registers, so nothing that was read is kept.
        bool is_last = left == 0 && length <= PRODUCT_BITS;
        if (!is_last) {
            cohort.column = left == 0 ? 0 : column;
            cohort.items_left = left;
        }
        u32 taken = smaller(length, PRODUCT_BITS);
        multiply_cohort<FREE>(launch, job.fixed, cohort, slab, taken, balance);
        if (is_last) {
            return;
        }
        // What came behind them is the beginning of the next product.
        length -= taken;
        for (u32 first = 0; first < length; first += LANES) {
            u64 moved = placements_of(cohort)[taken + first + lane];
            WARP_SYNC;
            placements_of(cohort)[first + lane] = moved;
        }
    }
}
