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
// A tensor core makes it for 16 squares by 8 squares and 256 placements with one instruction: the
// squares of two columns in eight rows by those of a third column. Of the products a times b and
// b times a the part with g < j is wanted: a row set has two rows, whichever of them holds which
// column. A lane has two neighbouring elements of each:
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

// Where a word of a plane stands. Lanes that write one word of 32 planes, and those that read two
// words of planes side by side, meet different banks.
DEVICE u32 plane_word(u32 line, u32 word) {
    return line * PRODUCT_WORDS + ((word / 2 ^ (line / 4 & 3)) * 2 | (word & 1));
}

// Two words of the plane of a square: the placements that leave it free.
DEVICE TwoWords free_in(const SweepLaunch& launch, const CohortMemory& cohort, u32 row, u32 column,
                        u32 first_word) {
    u32 diag = plane_word(column + launch.diag_offset - row, first_word);
    u32 anti = plane_word(column + launch.anti_offset + row, first_word);
    TwoWords a = *reinterpret_cast<const TwoWords*>(&cohort.planes[0][diag]);
    TwoWords b = *reinterpret_cast<const TwoWords*>(&cohort.planes[1][anti]);
    return {~(a.first | b.first), ~(a.second | b.second)};
}

// Makes the planes of the first placements of a cohort.
DEVICE void make_planes(CohortMemory& cohort, u32 placements, u32 lane) {
    for (u32 word = 0; word < PRODUCT_WORDS; word++) {
        // Where there is no placement, no square is free.
        u32 diags = ~0u, antis = ~0u;
        if (word * LANES < placements) {
            u32 number = word * LANES + lane;
            u64 lines = number < placements ? cohort.placements[number] : ~0ull;
            diags = turned((u32)lines, lane);
            antis = turned((u32)(lines >> 32), lane);
        }
        cohort.planes[0][plane_word(lane, word)] = diags;
        cohort.planes[1][plane_word(lane, word)] = antis;
    }
}

// Finds the free columns of a cohort, and the entry that each pair of them belongs to.
template <u32 FREE>
DEVICE void find_entries(const SweepLaunch& launch, const SweepFixed& fixed, CohortMemory& cohort,
                         u32 set, u32 lane) {
    if (lane < launch.cols && (set >> lane & 1) == 0) {
        cohort.columns[population(~set & ((1u << lane) - 1))] = (u8)lane;
    }
    WARP_SYNC;
    for (u32 pair = lane; pair < FREE * (FREE - 1) / 2; pair += LANES) {
        u32 a = cohort.columns[fixed.pairs[pair][0]], b = cohort.columns[fixed.pairs[pair][1]];
        u32 index = launch.index_of[set | 1u << a | 1u << b];
        // Two columns are not 0 apart, so nothing counts there.
        bool visited = index != NO_INDEX;
        u32 entry = index * ENTRY_WORDS * sizeof(u32), mask = (b - a) * LANES * sizeof(u32);
        cohort.entries[pair] = {visited ? entry : 0, visited ? mask : 0};
    }
}

// Counts the last two queens of a cohort's first placements, whose queens stand in the columns
// `set`. What is added to the slab is added to `balance` too.
template <u32 FREE>
DEVICE void multiply_cohort(const SweepLaunch& launch, const CoreEntry& core,
                            const SweepFixed& fixed, CohortMemory& cohort, u32* slab, u32 set,
                            u32 placements, u64& balance) {
    u32 lane = LANE, g = lane / 4, t = lane % 4;
    WARP_SYNC;
    make_planes(cohort, placements, lane);
    find_entries<FREE>(launch, fixed, cohort, set, lane);
    WARP_SYNC;
    // The planes of all squares of row g, two words of each. A column beyond the last is empty.
    TwoWords square[FREE + 1];
    bool is_open = g < core.open_count;
    u32 row = is_open ? core.open[g] : core.open[0];
#pragma unroll
    for (u32 y = 0; y < FREE; y++) {
        TwoWords free = free_in(launch, cohort, row, cohort.columns[y], 2 * t);
        square[y] = {is_open ? free.first : 0, is_open ? free.second : 0};
    }
    square[FREE] = {0, 0};
    // Of a lane without a word of the entry nothing counts.
    u32 word = (2 * t + 1 > g ? word_of_entry(g, t) : 0) * sizeof(u32);
    u32 masks = number_of(&fixed, &fixed.masks[0][lane]);
    // Two sums of 16 bits: there are fewer than 128 pairs, and twice 256 placements.
    u32 added = 0;
    // Columns come in twos, which are multiplied with one other at a time.
    auto product = [&](u32 two, u32 column, u32* sums) {
        TwoWords a = square[2 * two], b = square[2 * two + 1], other = square[column];
        sums[0] = sums[1] = sums[2] = sums[3] = 0;
        multiply_bits(sums, a.first, b.first, a.second, b.second, other.first, other.second);
    };
    auto add = [&](u32 a, u32 b, const u32* one, const u32* other) {
        EntryPlace entry = cohort.entries[a * (2 * FREE - a - 1) / 2 + b - a - 1];
        // Squares that attack each other do not count, nor rows that are not wanted.
        u32 mask = read<u32>(&fixed, masks + entry.mask);
        u32 both = halves(one[0] + other[0], one[1] + other[1]) & mask;
        add_nonzero_there(slab, word + entry.entry, both);
        added += both;
    };
#pragma unroll
    for (u32 i = 0; i < (FREE + 1) / 2; i++) {
        u32 a = 2 * i;
        if (a + 1 < FREE) {
            u32 second[4], first[4];
            product(i, a + 1, second);
            product(i, a, first);
            add(a, a + 1, second, first + 2);
        }
#pragma unroll
        for (u32 j = i + 1; j < (FREE + 1) / 2; j++) {
            // Here both columns of i are there.
            u32 b = 2 * j;
            u32 a_b[4], b_a[4], b_next[4];
            product(i, b, a_b);
            product(j, a, b_a);
            product(j, a + 1, b_next);
            add(a, b, a_b, b_a);
            add(a + 1, b, a_b + 2, b_next);
            if (b + 1 < FREE) {
                product(i, b + 1, a_b);
                add(a, b + 1, a_b, b_a + 2);
                add(a + 1, b + 1, a_b + 2, b_next + 2);
            }
        }
    }
    balance += (added & 0xffff) + (added >> 16);
    WARP_SYNC;
}
