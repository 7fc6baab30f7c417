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
// those that survive go. The last level is not written down: its lists are the bundles.

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

// Where a warp writes the lists of a level.
struct Arena {
    u32 next, end;
};

// How many steps of 32 are read at once, so that the warp does not wait for each.
const u32 STEPS = 4;

// Sifts a list by a queen with these lines. `keep(length)` is called after every step with how many
// are in `out`, and says how many are left there.
template <class Keep>
DEVICE u32 sift_list(const u64* from, u32 items, u64 lines, u64* out, u32 length, u32 lane,
                     Keep keep) {
    for (u32 base = 0; base < items; base += STEPS * LANES) {
        u64 item[STEPS];
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            u32 number = base + step * LANES + lane;
            item[step] = number < items ? from[number] : ~0ull;
        }
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            if (base + step * LANES >= items) {
                break;
            }
            // No placement uses all lines; what is beyond the list does.
            bool survives = item[step] != ~0ull && (item[step] & lines) == 0;
            u32 votes = BALLOT(survives);
            if (survives) {
                out[length + lanes_before(votes, lane)] = item[step] | lines;
            }
            length = keep(length + population(votes));
        }
    }
    return length;
}

// Sifts everything that leads to a set of columns. Level 0 is the listed placements themselves.
template <class Keep>
DEVICE u32 sift_set(const SweepLaunch& launch, const CoreEntry& core, const Source& source,
                    u32 level, u32 set, u64* out, u32 lane, Keep keep) {
    if (level == 0) {
        return sift_list(source.listed, source.listed_length, 0, out, 0, lane, keep);
    }
    u32 length = 0;
    for (u32 rest = set; rest != 0; rest &= rest - 1) {
        u32 column = lowest(rest);
        const u64* from = source.listed;
        u32 items = source.listed_length;
        if (level > 1) {
            PartialList list = source.lists[launch.place_of[set ^ 1u << column]];
            from = source.scratch + list.start;
            items = list.length;
        }
        u64 lines = lines_of(launch, core.rows[level - 1], column);
        length = sift_list(from, items, lines, out, length, lane, keep);
    }
    return length;
}

// Makes the list of a set of columns, in the warp's arena.
DEVICE PartialList make_list(const SweepLaunch& launch, const CoreEntry& core, const Source& source,
                             u32 level, u32 set, u64* scratch, Arena& arena, u32 lane) {
    u32 start = arena.next, room = arena.end - start, length = 0;
    // A step writes 32 at most, so there must be room for as many before it.
    bool full = room < LANES;
    auto keep = [&](u32 length) {
        full = full || length + LANES > room;
        return full ? 0 : length;
    };
    if (!full) {
        length = sift_set(launch, core, source, level, set, scratch + start, lane, keep);
    }
    if (full) {
        *launch.flag = NO_ROOM;
    }
    arena.next += length;
    return {start, length};
}

// Finds a bundle and counts its last two queens, as many placements at a time as a product takes.
template <u32 FREE>
DEVICE void count_bundle(const SweepLaunch& launch, const CoreEntry& core, const SweepFixed& fixed,
                         const Source& source, u32 set, BundleMemory& bundle, u32* slab,
                         u64& balance, u32 lane) {
    auto keep = [&](u32 length) {
        if (length < MOST_BUNDLED) {
            return length;
        }
        multiply_bundle<FREE>(launch, core, fixed, bundle, slab, set, MOST_BUNDLED, balance);
        // What came behind them is the beginning of the next product.
        u32 over = length - MOST_BUNDLED;
        u64 moved = bundle.placements[MOST_BUNDLED + lane];
        WARP_SYNC;
        bundle.placements[lane] = moved;
        return over;
    };
    u32 length = sift_set(launch, core, source, launch.core_rows, set, bundle.placements, lane, keep);
    if (length > 0) {
        multiply_bundle<FREE>(launch, core, fixed, bundle, slab, set, length, balance);
    }
}
