// Cohorts: the last two queens of many placements at once, by a product of matrices of bits.
//
// The placements of a cohort stand in the same columns. Of each only its lines are kept, and the
// open rows have no queen yet. A *plane* has one bit for each placement of the cohort:
//
//     plane of a line       bit i says that placement i uses this line
//     plane of a square     bit i says that placement i leaves it free:
//                           ~(plane of its diagonal | plane of its anti-diagonal)
//
// Two queens fit where the planes of their squares both have a bit. How many placements that are,
// for the squares of two columns a and b in all open rows, is a product of two matrices:
//
//                            square (0, b)  (1, b) ...            open rows g and j:
//     square (0, a)                .          .                   bits that the planes of
//     square (1, a)                .          .                   (g, a) and (j, b) have in common
//       ...
//
// A tensor core makes it for 16 squares by 8 squares and 256 placements with one instruction, a *tile*:
// the squares of two columns in eight rows by those of a third column. A row set has two rows,
// whichever of them holds which column, so the elements (g, j) and (j, g) are added up: the product and
// itself, turned on its diagonal. Of the sum the part with g < j is wanted. A lane has two neighbouring
// elements:
//
//                 j  0 1   2 3   4 5   6 7        lane 4 g + t has row g, columns 2 t and 2 t + 1
//     g = 0          . x   x x   x x   x x        x counts: 28 row sets, in 16 words of two cells
//     g = 1          . .   x x   x x   x x
//     g = 2          . .   . x   x x   x x        ...
//
// A *slab* holds, for each index of the swept columns, such an *entry* of 16 words. It is in the
// memory of the card, where it stays in the cache: many cohorts add to the same entries.

// Which word of an entry has the rows g and 2 t, and g and 2 t + 1, where one of them counts.
DEVICE u32 word_of_entry(u32 g, u32 t) {
    // Rows 0 to 6 have 4, 3, 3, 2, 2, 1 and 1 words.
    return (0xfeca740u >> (4 * g) & 15) + t - (g + 1) / 2;
}

// Placements become planes in the same place, 64 of them at a time: they are read, then their planes are
// written. Blocks of planes are a little longer, so they begin ahead of the placements, and the last ends
// with them. What came behind them stays.
//
//     |  |  64 placements  |  64 placements  |  64 placements  |  64 placements  | up to 128 more |
//     |  two words of each  |  two words  |  ...                              |  | up to 128 more |
DEVICE u64* placements_of(CohortMemory& cohort) {
    return cohort.placements + PLANES_BEHIND;
}

DEVICE u32* planes_of(CohortMemory& cohort) {
    return reinterpret_cast<u32*>(cohort.placements);
}

// Turns the first placements of a cohort into planes. Blocks without a placement are left as they are.
DEVICE void make_planes(CohortMemory& cohort, u32 placements, u32 lane) {
    Turning turns = turning(lane);
    TwoWords* block = reinterpret_cast<TwoWords*>(planes_of(cohort));
    for (u32 first = 0; first < placements; first += 2 * LANES) {
        TwoWords diags, antis;
        auto turn = [&](u32 number, u32& diag, u32& anti) {
            // A lane without a placement has one that uses all lines.
            u64 lines = number < placements ? placements_of(cohort)[number] : ~0ull;
            diag = turned((u32)lines, turns);
            anti = turned((u32)(lines >> 32), turns);
        };
        turn(first + lane, diags.first, antis.first);
        turn(first + LANES + lane, diags.second, antis.second);
        WARP_SYNC;
        block[lane] = diags;
        block[LANES + lane] = antis;
        block += BLOCK_STEP / 2;
    }
}

// How many tiles there are: two columns, and one that comes behind the first of them.
DEVICE constexpr u32 tiles(u32 free) {
    return free / 2 * (free - free / 2);
}

// Begins to fetch the record of a cohort. The host has made it, as it is the same for all jobs.
template <u32 FREE>
DEVICE void fetch_record(const SweepLaunch& launch, SweepFixed& fixed, CohortMemory& cohort,
                         u32 place, u32 lane) {
    constexpr u32 LENGTH = RECORD_COLUMNS + 2 * tiles(FREE);
    const u64* from = launch.records + place * LENGTH;
    u32 to = number_of(&fixed, cohort.record);
#pragma unroll
    for (u32 first = 0; first < LENGTH; first += LANES) {
        if (first + lane < LENGTH) {
            copy_ahead(&fixed, to + (first + lane) * (u32)sizeof(u64), from + first + lane);
        }
    }
}

// Which pairs of free columns lead to an index that is visited, two bits to a tile.
template <u32 FREE>
struct Visited {
    static constexpr u32 WORDS = (2 * tiles(FREE) + LANES - 1) / LANES;
    u32 words[WORDS];

    DEVICE bool has(u32 tile) const {
        return (words[2 * tile / LANES] >> (2 * tile % LANES) & 3) != 0;
    }
};

template <u32 FREE>
DEVICE Visited<FREE> find_visited(const PairPlace* pairs, u32 lane) {
    Visited<FREE> visited;
#pragma unroll
    for (u32 round = 0; round < Visited<FREE>::WORDS; round++) {
        u32 pair = round * LANES + lane;
        visited.words[round] = BALLOT(pair < 2 * tiles(FREE) && pairs[pair].mask != 0);
    }
    return visited;
}

// Two words of the plane of a square, the placements that leave it free, as far as they are wanted.
DEVICE TwoWords free_in(const u32* diag, const u32* anti, TwoWords wanted) {
    TwoWords a = *reinterpret_cast<const TwoWords*>(diag);
    TwoWords b = *reinterpret_cast<const TwoWords*>(anti);
    return {wanted.first & ~(a.first | b.first), wanted.second & ~(a.second | b.second)};
}

// Counts the last two queens of a cohort's first placements. What is added to the slab is added to
// `balance` too.
template <u32 FREE>
DEVICE void multiply_cohort(const SweepLaunch& launch, const SweepFixed& fixed,
                            CohortMemory& cohort, u32* slab, u32 placements, u32& balance) {
    const CoreEntry& core = fixed.core;
    // What follows from the number of the lane is calculated anew for each cohort, not kept.
    u32 lane = opaque(LANE), g = lane / 4, t = lane % 4;
    WARP_SYNC;
    make_planes(cohort, placements, lane);
    await_copies();
    WARP_SYNC;
    const PairPlace* pairs = reinterpret_cast<const PairPlace*>(cohort.record + RECORD_COLUMNS);
    Visited<FREE> visited = find_visited<FREE>(pairs, lane);
    // The planes of all squares of row g, two words of each. A column beyond the last is empty.
    TwoWords square[FREE + 1];
    bool is_open = g < core.open_count;
    u32 row = is_open ? core.open[g] : core.open[0];
    TwoWords wanted = {is_open && 2 * t * LANES < placements ? ~0u : 0,
                       is_open && (2 * t + 1) * LANES < placements ? ~0u : 0};
    const u32* block = planes_of(cohort) + t * BLOCK_STEP;
    const u32* diags = block + (launch.diag_offset - row) * LINE_STEP;
    const u32* antis = block + (LANES + launch.anti_offset + row) * LINE_STEP;
    const u32* columns = reinterpret_cast<const u32*>(cohort.record);
#pragma unroll
    for (u32 y = 0; y < FREE; y++) {
        u32 step = byte_of(columns[y / 4], y % 4);
        square[y] = free_in(diags + step, antis + step, wanted);
    }
    square[FREE] = {0, 0};
    // Of a lane without a word of the entry nothing counts.
    u32* word = opaque(slab + (2 * t + 1 > g ? word_of_entry(g, t) : 0));
    u32 masks = number_of(&fixed, &fixed.masks[0][lane]);
    // Two sums of 16 bits: there are fewer than 128 pairs, and twice 256 placements.
    u32 added = 0;
    auto add = [&](u32 number, u32 first, u32 second) {
        PairPlace pair = pairs[number];
        u32 both = halves(first, second);
        both += turned_cells(both);
        // Squares that attack each other do not count, nor rows that are not wanted.
        both &= read<u32>(&fixed, masks + pair.mask);
        add_nonzero_there(word, pair.entry, both);
        added += both;
    };
    u32 tile = 0;
#pragma unroll
    for (u32 i = 0; i < FREE / 2; i++) {
#pragma unroll
        for (u32 b = 2 * i + 1; b < FREE; b++, tile++) {
            if (visited.has(tile)) {
                TwoWords one = square[2 * i], two = square[2 * i + 1], other = square[b];
                u32 sums[4];
                multiply_bits(sums, one.first, two.first, one.second, two.second, other.first,
                              other.second);
                add(2 * tile, sums[0], sums[1]);
                // The second of the two columns is the third one here.
                if (b > 2 * i + 1) {
                    add(2 * tile + 1, sums[2], sums[3]);
                }
            }
        }
    }
    balance += (added & 0xffff) + (added >> 16);
    WARP_SYNC;
}
