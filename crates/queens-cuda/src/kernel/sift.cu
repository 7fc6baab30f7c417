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

// The lines of a square of the swept board.
DEVICE u64 lines_of(const SweepLaunch& launch, u32 row, u32 column) {
    u32 diag = column + launch.diag_offset - row, anti = column + launch.anti_offset + row;
    return 1ull << diag | 1ull << (32 + anti);
}

// What a warp sifts from: the listed placements, or the lists of the level before.
struct Source {
    const u64* listed;
    u32 listed_length;
    const PartialList* lists;
    const u64* scratch;     // the block's
};

// Everything that leads to a set of columns: lists, one after the other, and a queen for each. Level
// 0 is the listed placements themselves.
struct Sifter {
    const u64* from;        // the list that is sifted
    u32 items, base;        // how long it is, and how far
    u64 lines;              // those of the queen
    u32 set, rest;          // all columns, and those whose lists are not sifted yet
    u32 level;
};

DEVICE Sifter begin_sifting(const Source& source, u32 level, u32 set) {
    if (level == 0) {
        // No queen, but a line that no square is on.
        return {source.listed, source.listed_length, 0, 1ull << 63, set, 0, level};
    }
    return {source.listed, 0, 0, 0, set, set, level};
}

// Goes on to a list with something left; false where there is none.
DEVICE bool find_list(const SweepLaunch& launch, const CoreEntry& core, const Source& source,
                      Sifter& sifter) {
    while (sifter.base >= sifter.items) {
        if (sifter.rest == 0) {
            return false;
        }
        u32 column = lowest(sifter.rest);
        sifter.rest &= sifter.rest - 1;
        sifter.lines = lines_of(launch, core.rows[sifter.level - 1], column);
        sifter.base = 0;
        sifter.items = source.listed_length;
        if (sifter.level > 1) {
            PartialList list = source.lists[launch.place_of[sifter.set ^ 1u << column]];
            sifter.from = source.scratch + list.start;
            sifter.items = list.length;
        }
    }
    return true;
}

// Sifts the next SIFTED of a list behind the `length` that `out` has. They are read all at once, so
// that the warp waits for them once. What is read beyond the list is in the card's memory, too, and is
// not looked at.
DEVICE u32 sift(Sifter& sifter, u64* out, u32 length, u32 lane) {
    const u64* next = sifter.from + sifter.base + lane;
    u32 left = sifter.items - sifter.base, diag = (u32)sifter.lines, anti = (u32)(sifter.lines >> 32);
    u64 item[SIFTED / LANES];
#pragma unroll
    for (u32 step = 0; step < SIFTED / LANES; step++) {
        item[step] = read_there(next + step * LANES);
    }
#pragma unroll
    for (u32 step = 0; step < SIFTED / LANES; step++) {
        u32 met = ((u32)item[step] & diag) | ((u32)(item[step] >> 32) & anti);
        bool survives = step * LANES + lane < left && met == 0;
        u32 votes = BALLOT(survives);
        if (survives) {
            out[length + lanes_before(votes, lane)] = item[step] | sifter.lines;
        }
        length += population(votes);
    }
    sifter.base += SIFTED;
    return length;
}

// Where a warp writes the lists of a level.
struct Arena {
    u32 next, end;
};

// Makes the list of a set of columns, in the warp's arena.
DEVICE PartialList make_list(const SweepLaunch& launch, const CoreEntry& core, const Source& source,
                             u32 level, u32 set, u64* scratch, Arena& arena, u32 lane) {
    u32 start = arena.next, length = 0;
    Sifter sifter = begin_sifting(source, level, set);
    while (find_list(launch, core, source, sifter)) {
        if (arena.end - start < length + SIFTED) {
            *launch.flag = NO_ROOM;
            break;
        }
        length = sift(sifter, scratch + start, length, lane);
    }
    arena.next += length;
    return {start, length};
}

// Finds a cohort and counts its last two queens, as many placements at a time as a product takes.
template <u32 FREE>
DEVICE void count_cohort(const SweepLaunch& launch, const CoreEntry& core, const SweepFixed& fixed,
                         const Source& source, u32 set, CohortMemory& cohort, u32* slab,
                         u64& balance, u32 lane) {
    Sifter sifter = begin_sifting(source, launch.core_rows, set);
    u32 length = 0;
    for (;;) {
        bool more = find_list(launch, core, source, sifter);
        if (more) {
            length = sift(sifter, cohort.placements, length, lane);
        }
        if (length < PRODUCT_BITS && more) {
            continue;
        }
        if (length == 0) {
            return;
        }
        u32 taken = smaller(length, PRODUCT_BITS);
        multiply_cohort<FREE>(launch, core, fixed, cohort, slab, set, taken, balance);
        // What came behind them is the beginning of the next product.
        length -= taken;
        for (u32 first = 0; first < length; first += LANES) {
            u64 moved = cohort.placements[taken + first + lane];
            WARP_SYNC;
            cohort.placements[first + lane] = moved;
        }
    }
}
