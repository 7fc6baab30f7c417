// Cohorts: the last two queens of many placements at once, by a product of bit matrices.
//
// The placements of a cohort stand in the same columns, and have no queen in the open rows yet.
// Only the lines of each placement are kept. A *plane* has one bit per placement of the cohort:
//
//     plane of a line       bit i says that placement i uses this line
//     plane of a square     bit i says that placement i leaves it free:
//                           ~(plane of its diagonal | plane of its anti-diagonal)
//
// Two queens fit the placements that have a bit in the planes of both squares. The numbers of these
// placements, for the squares of two columns a and b in all open rows, are a product of two
// matrices:
//
//                            square (0, b)  (1, b) ...            open rows g and j:
//     square (0, a)                .          .                   bits that the planes of
//     square (1, a)                .          .                   (g, a) and (j, b) have in common
//       ...
//
// One instruction of a tensor core multiplies 16 squares by 8 squares for 256 placements. This is a
// *tile*: the squares of two columns in eight rows by those of a third column, so it has the
// products of two pairs of columns. A row set has two of the open rows, and either of its queens
// may be in either column. So the elements (g, j) and (j, g) are added: the product plus its
// transpose. Half of this sum says everything. So the two products of a tile share the lanes, and
// are transposed together:
//
//                 j  0 1   2 3   4 5   6 7        lane 4 g + t has row g, columns 2 t and 2 t + 1
//     g = 0          . 1   1 1   1 1   1 1
//     g = 1          2 .   1 1   1 1   1 1        1: the first product, in the upper lanes
//     g = 2          2 2   . 1   1 1   1 1        2: the second one, in the lower lanes
//     g = 3          2 2   2 .   1 1   1 1        ...
//
// A *slab* holds one *entry* of 32 words for each index of the swept columns. An entry has 28 row
// sets in the half of the upper lanes, and the same row sets in the half of the lower lanes. The
// slab is in the card's memory, but stays in the cache: many cohorts add to the same entries.

// Whether a lane has elements above the diagonal.
DEVICE bool is_upper(u32 g, u32 t) {
    return 2 * t + 1 > g;
}

// The word of an entry for rows g and 2 t, and g and 2 t + 1, in an upper lane.
DEVICE constexpr u32 upper_word(u32 g, u32 t) {
    // Rows 0 to 6 have 4, 3, 3, 2, 2, 1 and 1 words.
    return 4 * g - g * g / 4 + t - (g + 1) / 2;
}

// The same in a lower lane.
DEVICE constexpr u32 lower_word(u32 g, u32 t) {
    // Rows 1 to 7 have 1, 1, 2, 2, 3, 3 and 4 words.
    return ENTRY_WORDS / 2 + g * g / 4 + t;
}

// The cell of an entry for the open rows g and j, g < j: here in the first half of the entry, below
// in the second.
DEVICE constexpr u32 upper_cell(u32 g, u32 j) {
    return 2 * upper_word(g, j / 2) + j % 2;
}

DEVICE constexpr u32 lower_cell(u32 g, u32 j) {
    return 2 * lower_word(j, g / 2) + g % 2;
}

// Makes the planes of up to 128 copied placements, `WORDS` per lane.
template <u32 WORDS>
DEVICE void write_planes(const SweepFixed& fixed, u32* planes, u32 own, u32 number, u32 lane) {
    u32 diags[WORDS], antis[WORDS];
#pragma unroll
    for (u32 word = 0; word < WORDS; word++) {
        u64 lines = copied_or_none(fixed, own, word, number, lane);
        diags[word] = (u32)lines;
        antis[word] = (u32)(lines >> 32);
    }
    Turning turning = fixed.turnings[lane];
    WORDS == 4 ? turn_four(diags, turning) : turn_two(diags, turning);
    WORDS == 4 ? turn_four(antis, turning) : turn_two(antis, turning);
    // `SPAN` neighbouring lanes have the same word of different lines.
    constexpr u32 SPAN = LANES / WORDS;
    planes += lane % SPAN * LINE_STEP + lane / SPAN;
#pragma unroll
    for (u32 k = 0; k < WORDS; k++) {
        planes[SPAN * k * LINE_STEP] = diags[k];
        planes[(LANES + SPAN * k) * LINE_STEP] = antis[k];
    }
}

// Makes the planes of the copied placements, 64 or 128 at a time. The planes beyond them keep their
// old words.
DEVICE void make_planes(const SweepFixed& fixed, CohortMemory& cohort, u32 number, u32 lane) {
    u32* planes = cohort.planes;
    u32 own = number_of(&fixed, cohort.copied + lane);
    for (;;) {
        if (number <= BLOCK_BITS / 2) {
            write_planes<2>(fixed, planes, own, number, lane);
            return;
        }
        write_planes<4>(fixed, planes, own, number, lane);
        if (number <= BLOCK_BITS) {
            return;
        }
        number -= BLOCK_BITS;
        planes += BLOCK_STEP;
        own += BLOCK_BITS * (u32)sizeof(u64);
    }
}

// How many tiles there are: columns 2 i and 2 i + 1 together, with each column behind 2 i.
DEVICE constexpr u32 tiles(u32 free) {
    return free / 2 * (free - free / 2);
}

// Starts fetching the record of a cohort. It is the same for all jobs, so the host has made it.
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

// The pairs of free columns that lead to a visited index, two bits per tile.
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

// Two words of the plane of a square: which of the `wanted` placements leave it free.
DEVICE TwoWords free_in(const SweepFixed& fixed, u32 diag, u32 anti, u32 wanted) {
    TwoWords a, b;
    read_two(&fixed, diag, a.first, a.second);
    read_two(&fixed, anti, b.first, b.second);
    return {open_and_free(wanted, a.first, b.first), open_and_free(wanted, a.second, b.second)};
}

// Counts the last two queens of the copied placements of a cohort, and starts copying what follows.
// Whatever is added to the slab is added to `balance` too.
template <u32 FREE>
DEVICE void multiply_cohort(const SweepLaunch& launch, const SweepFixed& fixed, CohortMemory& cohort,
                            u32 number, u32* slab, u32& balance,
                            const Following<PRODUCT_BITS>& following) {
    const CoreEntry& core = fixed.core;
    // `opaque`: values derived from the lane are calculated again for each cohort, not kept in
    // registers.
    u32 lane = opaque(LANE), g = lane / 4, t = lane % 4;
    make_planes(fixed, cohort, number, lane);
    WARP_SYNC;
    following.copy();
    // Wait for the record.
    await_copies<1>();
    WARP_SYNC;
    const PairPlace* pairs = reinterpret_cast<const PairPlace*>(cohort.record + RECORD_COLUMNS);
    Visited<FREE> visited = find_visited<FREE>(pairs, lane);
    // Two words of the plane of each square in row g. The column beyond the last is empty. If row g
    // is not an open row, the masks drop its counts.
    TwoWords square[FREE + 1];
    u32 row = core.open[g];
    // Planes are made for 64 placements, two words, at a time. So a lane wants both words or none.
    u32 wanted = opaque(2 * t * LANES < number ? ~0u : 0);
    u32 block = number_of(&fixed, cohort.planes + t / 2 * BLOCK_STEP + t % 2 * 2);
    u32 diags = block + (launch.diag_offset - row) * LINE_STEP * 4;
    u32 antis = block + (LANES + launch.anti_offset + row) * LINE_STEP * 4;
    const u32* columns = reinterpret_cast<const u32*>(cohort.record);
#pragma unroll
    for (u32 y = 0; y < FREE; y++) {
        u32 step = byte_of(columns[y / 4], y % 4);
        square[y] = free_in(fixed, diags + step, antis + step, wanted);
    }
    square[FREE] = {0, 0};
    bool upper = is_upper(g, t);
    u32* word = opaque(slab + (upper ? upper_word(g, t) : lower_word(g, t)));
    u32 masks = number_of(&fixed, &fixed.masks[0][lane]);
    u32 own_pairs = number_of(&fixed, pairs + !upper);
    // Two sums of 16 bits suffice: fewer than 128 pairs add at most twice 256 placements each.
    u32 added = 0;
    u32 tile = 0;
#pragma unroll
    for (u32 i = 0; i < FREE / 2; i++) {
#pragma unroll
        for (u32 b = 2 * i + 1; b < FREE; b++, tile++) {
            if (visited.has(tile)) {
                u32 entry, mask;
                read_two(&fixed, own_pairs + 2 * tile * sizeof(PairPlace), entry, mask);
                mask = read<u32>(&fixed, masks + mask);
                TwoWords one = square[2 * i], two = square[2 * i + 1], other = square[b];
                u32 sums[4];
                multiply_bits(sums, one.first, two.first, one.second, two.second, other.first,
                              other.second);
                u32 first = halves(sums[0], sums[1]), second = halves(sums[2], sums[3]);
                u32 both = (upper ? first : second) + turned_cells(upper ? second : first);
                // The mask drops squares that attack each other, and rows that are not wanted.
                both &= mask;
                add_there(word + (u64)entry * ENTRY_WORDS, both);
                added += both;
            }
        }
    }
    balance += (added & 0xffff) + (added >> 16);
    WARP_SYNC;
}

// Counts the last two queens of all cohorts, up to `PRODUCT_BITS` placements at a time.
template <u32 FREE>
DEVICE void count_cohorts(const SweepLaunch& launch, const Job& job, CohortMemory& cohort, u32* slab,
                          u32& balance, u32 lane) {
    u32 level = launch.core_rows, lists = lists_of(launch, level);
    each_chunk<PRODUCT_BITS>(
        job.fixed, cohort, lists, PRODUCT_BITS, level == 0, lane,
        [&](u32 place) { return piece_at<false>(launch, job, level, place, 0, lane); },
        [&](const Piece& piece, const Following<PRODUCT_BITS>& following) {
            if (piece.first == 0) {
                fetch_record<FREE>(launch, job.fixed, cohort, piece.place, lane);
            }
            end_copies();
            // Wait for the placements; the record may come later.
            await_copies<1>();
            WARP_SYNC;
            u32 number = smaller(piece.length - piece.first, PRODUCT_BITS);
            multiply_cohort<FREE>(launch, job.fixed, cohort, number, slab, balance, following);
        });
}
