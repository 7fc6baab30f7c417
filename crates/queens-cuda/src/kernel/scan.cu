// Scanning: each scanned placement is one bit, and many of them meet a walked placement at once.
//
// There are three kinds of bit vectors. Each has 32 words, two for every lane of half a warp. For
// the scanned placements s0, s1, s2, ...:
//
//     plane of a line            bit i says that s_i uses this line
//     mask of a square           bit i says that s_i survives a queen there:
//                                ~(plane of its diagonal | plane of its anti-diagonal)
//     mask of a pair of squares  the AND of two masks of squares
//
//     diagonal 3         0 1 1 0 0 0 1 0 ...
//     anti-diagonal 5    0 0 1 0 1 0 0 0 ...
//     square on both     1 0 0 1 0 1 0 1 ...      survivors
//
// A walked placement names its masks in one word. The AND of these masks and a population count
// tell how many scanned placements survive it. Below its stem, its first queens, it has at most
// five rows. On a board with `cols` columns the word names their squares like this:
//
//     31        20 19   16 15      8 7       0
//     | even index | lone | pair    | pair    |      two pairs of rows and one that stands alone
//     31            16 15      8 7       0
//     | even index     | pair    | pair    |         two pairs; with one pair, the second byte is
//                                                    two squares of four bits each
//     31            16     11   8 7   4 3   0
//     | even index     |    | sq  | sq  | sq  |      three squares, all alone
//
// A pair of squares in columns i and j has the number i * cols + j. The placements of a stem are
// sorted by even index, so several are counted before a cell of the tile is touched.
//
// Most scanned placements die with the first queens of a walked one. So the lists are *sifted*
// first, for every stem: the queens in all rows but the last three to five. Only the scanned
// placements that the stem does not attack become bits. The rows of the stem are near the middle of
// the board, where a queen attacks most.

DEVICE TwoWords operator&(TwoWords a, TwoWords b) {
    return {a.first & b.first, a.second & b.second};
}

// One side of a job: a walk, and the lists of placements that are scanned for it.
struct Side {
    WalkEntry walk;
    u32 lists;
    u32 even_limit;     // the highest of all pairs
};

// Where the block keeps the rest of its lists after sifting by some levels of a stem.
DEVICE u64* sifted(const Launch& launch, u32 levels) {
    return launch.scratch + (u64)BLOCK * launch.scratch_room + (levels - 1) * launch.list_room;
}

// The lines of the rest of a list.
DEVICE const u64* list_lines(const Launch& launch, u32 levels, const List& list) {
    return levels == 0 ? at_list<u64>(launch, list.from) : sifted(launch, levels) + list.room;
}

// Finds the lists of a job. STORES selects those of the stored colour, else of the gathering one.
template <bool STORES>
DEVICE Side begin_side(const Launch& launch, const JobEntry& job, const Shared& shared) {
    const PairEntry* pairs = at<PairEntry>(launch, launch.pairs) + job.first_pair;
    const WalkEntry* walks = at<WalkEntry>(launch, launch.walks);
    Side side = {walks[STORES ? pairs[0].store_walk : pairs[0].gather_walk],
                 job.pairs * job.odd_count, most_of(pairs, job.pairs, &PairEntry::even_limit)};
    BARRIER;
    EACH_THREAD {
        if (thread < side.lists) {
            const PairEntry& pair = pairs[thread / job.odd_count];
            u32 odd = job.first_odd + thread % job.odd_count;
            const ScanEntry* scans = at<ScanEntry>(launch, launch.scans);
            ScanEntry entry = scans[STORES ? pair.store_scan : pair.gather_scan];
            const u32* starts = at<u32>(launch, entry.starts);
            bool visited = odd < pair.odd_limit;
            u32 start = visited ? starts[odd] : 0;
            shared.counts[thread] = visited ? starts[odd + 1] - start : 0;
            shared.lists[thread] = {entry.lines + start, 0,
                                    odd < pair.doubled ? pair.doubled_weights : pair.rest_weights,
                                    visited ? pair.even_limit : 0};
        }
    }
    BARRIER;
    EACH_THREAD {
        if (thread < side.lists) {
            u32 room = 0;
            for (u32 other = 0; other < thread; other++) {
                room += shared.counts[other];
            }
            shared.lists[thread].room = room;
        }
    }
    BARRIER;
    return side;
}

// Sifts every list by one more square of the stem. Each warp takes one list after the other.
DEVICE void sift_lists(const Launch& launch, const Side& side, u32 level, u64 taken,
                       const Shared& shared, u32 thread) {
    u32 lane = thread % 32;
    for (u32 l = thread / 32; l < side.lists; l += THREADS / 32) {
        List list = shared.lists[l];
        const u64* lines = list_lines(launch, level, list);
        u64* to = sifted(launch, level + 1) + list.room;
        u32 length = shared.counts[level * MOST_LISTS + l], count = 0;
        for (u32 f = 0; f < length; f += 32) {
            // Beyond the end, a placement that uses every line.
            u64 own = f + lane < length ? lines[f + lane] : ~0ull;
            u32 alive = ballot(lane, [&](u32 k) {
                (void)k;
                return (OF_LANE(own, f + k < length ? lines[f + k] : ~0ull) & taken) == 0;
            });
            if (alive >> lane & 1) {
                to[count + lanes_before(alive, lane)] = own;
            }
            count += population(alive);
        }
        if (lane == 0) {
            shared.counts[(level + 1) * MOST_LISTS + l] = count;
        }
    }
}

// Cuts the lists into words of 32 placements and gives each lane two words. Two neighbouring lists
// give one word each until the shorter one ends; the remaining words of the longer ones come last.
// With lists of 3, 1, 2 and 2 words:
//
//     lane       0      1      2      3
//     words   0.0 1.0  2.0 3.0  2.1 3.1  0.1 0.2        list.word
DEVICE void make_table(const Side& side, const u32* counts, const Shared& shared, u32 thread) {
    u32 twos = side.lists / 2, both = 0, before = 0, longer = 0;
    auto words_of = [&](u32 list) { return (counts[list] + 31) / 32; };
    auto fewer_of = [&](u32 two) {
        u32 one = words_of(2 * two), other = words_of(2 * two + 1);
        return one < other ? one : other;
    };
    if (thread < twos) {
        for (u32 two = 0; two < twos; two++) {
            u32 fewer = fewer_of(two);
            both += fewer;
            if (two < thread) {
                before += fewer;
                longer += words_of(2 * two) + words_of(2 * two + 1) - 2 * fewer;
            }
        }
        u32 one = words_of(2 * thread), other = words_of(2 * thread + 1), fewer = fewer_of(thread);
        for (u32 word = 0; word < fewer; word++) {
            u16* two = shared.table + 2 * (before + word);
            two[0] = (u16)(word << LIST_BITS | 2 * thread);
            two[1] = (u16)(word << LIST_BITS | (2 * thread + 1));
        }
        u32 list = 2 * thread + (one < other ? 1 : 0), words = one < other ? other : one;
        longer += 2 * both;
        for (u32 word = fewer; word < words; word++) {
            shared.table[longer++] = (u16)(word << LIST_BITS | list);
        }
        if (thread + 1 == twos) {
            *shared.words = longer;
        }
    }
}

// Makes the planes of the words from `first` on. For each word a warp transposes 32 placements:
// lane b gets the plane of diagonal b, with a one for each placement that uses it, and the plane of
// anti-diagonal b. Bits without a placement use every line.
DEVICE void make_planes(const Launch& launch, u32 levels, u32 first, const Shared& shared,
                        u32 thread) {
    u32 lane = thread % 32, diagonals = launch.diagonals;
    for (u32 word = thread / 32; word < 2 * HALF_WARP; word += THREADS / 32) {
        u32 diag = ~0u, anti = ~0u;
        if (first + word < *shared.words) {
            u32 entry = shared.table[first + word], number = entry % MOST_LISTS;
            u32 start = entry / MOST_LISTS * 32;
            u32 length = shared.counts[levels * MOST_LISTS + number];
            const u64* lines = list_lines(launch, levels, shared.lists[number]);
            auto of = [&](u32 k) { return start + k < length ? lines[start + k] : ~0ull; };
            u64 own = of(lane);
            diag = transposed(lane, [&](u32 k) {
                (void)k;
                return (u32)OF_LANE(own, of(k));
            });
            anti = transposed(lane, [&](u32 k) {
                (void)k;
                return (u32)(OF_LANE(own, of(k)) >> 32);
            });
        }
        if (lane < diagonals) {
            u32* to = shared.planes + lane * PLANE_STEP + word;
            to[0] = diag;
            to[diagonals * PLANE_STEP] = anti;
        }
    }
}

// A lane's two words of a survivor mask.
DEVICE TwoWords* mask_of(u32* masks, u32 number, u32 thread) {
    return reinterpret_cast<TwoWords*>(masks + number * MASK_WORDS) + thread % HALF_WARP;
}

// Makes the survivor mask of each square below the stem. Each half warp makes its own masks.
DEVICE void make_square_masks(const Launch& launch, const WalkEntry& walk, const Shared& shared,
                              u32 thread) {
    const u32* lines = shared.planes + thread % HALF_WARP * 2;
    u32 half = thread / HALF_WARP, left = walk.rows - walk.stem_rows;
    // A quarter of the half warps takes each row.
    for (u32 row = half % 4; row < left; row += 4) {
        u64 of = at<u64>(launch, walk.squares)[(walk.stem_rows + row) * walk.cols];
        const u32* diag = lines + lowest((u32)of) * PLANE_STEP;
        const u32* anti = lines + (launch.diagonals + lowest((u32)(of >> 32))) * PLANE_STEP;
#pragma unroll 1
        for (u32 j = half / 4; j < walk.cols; j += THREADS / (4 * HALF_WARP)) {
            u32 at = j * PLANE_STEP;
            *mask_of(shared.square_masks, row * walk.cols + j, thread) = {~(diag[at] | anti[at]),
                                                                  ~(diag[at + 1] | anti[at + 1])};
        }
    }
    if (walk.rows == 0 && thread < HALF_WARP) {
        // The empty placement attacks nothing. Only bits without a placement use every line, and
        // are dropped.
        TwoWords none = {~0u, ~0u};
        for (u32 line = 0; line < 2 * launch.diagonals; line++) {
            none = none & TwoWords{lines[line * PLANE_STEP], lines[line * PLANE_STEP + 1]};
        }
        *mask_of(shared.square_masks, 0, thread) = {~none.first, ~none.second};
    }
}

// Makes the survivor masks of pairs of squares, for the last two rows and for the two before.
DEVICE void make_pair_masks(const WalkEntry& walk, const Shared& shared, u32 thread) {
    u32 cols = walk.cols, left = walk.rows - walk.stem_rows;
    // A half warp makes half of the masks of one square at a time.
    for (u32 task = thread / HALF_WARP; task < 2 * walk.row_pairs * cols; task += THREADS / HALF_WARP) {
        // In memory the masks of the two pairs of rows alternate.
        u32 j = task / 2, before = j < cols ? 0 : 1, row = left - 2 - 2 * before;
        j -= before * cols;
        TwoWords* to = mask_of(shared.pair_masks, j * cols * walk.row_pairs + before, thread);
        TwoWords one = *mask_of(shared.square_masks, row * cols + j, thread);
        const TwoWords* other = mask_of(shared.square_masks, (row + 1) * cols, thread);
        u32 middle = cols / 2, end = task % 2 == 0 ? middle : cols, step = walk.row_pairs * HALF_WARP;
#pragma unroll 4
        for (u32 k = task % 2 == 0 ? 0 : middle; k < end; k++) {
            to[k * step] = one & other[k * HALF_WARP];
        }
    }
}

struct alignas(16) Four {
    u32 of[4];
};

// Which masks a placement names. The top of this file draws their bits in the word.
enum Form { ONE, TWO, SQUARES, PAIR_AND_TWO, TWO_PAIRS, TWO_PAIRS_AND_ONE };

// Goes through a warp's share of the placements of a stem, one at a time for each half warp. For
// each run of placements with the same even index, the visitor is told how many scanned placements
// of each of the lane's two words survive them.
template <Form FORM, class Visitor>
DEVICE void visit(const Side& side, const u32* placements, u32 begin, u32 end, const Shared& shared,
                  u32 thread, Visitor& visitor) {
    // A mask is 128 bytes, and a lane's two words are 8. So mask m begins at byte m << 7, or at
    // m << 8 if the masks of two pairs alternate. (With pointers to words instead of bytes the
    // compiler makes more instructions.)
    u32 lane = thread % HALF_WARP * sizeof(TwoWords), cols = side.walk.cols;
    const char* squares = reinterpret_cast<const char*>(shared.square_masks);
    const char* pairs = reinterpret_cast<const char*>(shared.pair_masks);
    const char* low = side.walk.row_pairs > 0 ? pairs : squares;
    const char* second = squares + cols * (4 * MASK_WORDS);
    const char* third = second + cols * (4 * MASK_WORDS);
    auto words = [&](const char* masks, u32 place) {
        return *reinterpret_cast<const TwoWords*>(masks + place);
    };
    auto square = [&](const char* masks, u32 place) {
        return words(masks, (place & 0x0780) | lane);
    };
    const bool BOTH = FORM == TWO_PAIRS || FORM == TWO_PAIRS_AND_ONE;
    bool three = side.walk.singles > 2;
    // The survivors of a placement. A lone square before two pairs is not applied yet.
    auto survivors = [&](u32 placement) {
        if (BOTH) {
            return words(pairs, byte_and<0>(placement, lane))
                   & words(pairs + 4 * MASK_WORDS, byte_and<1>(placement, lane));
        }
        if (FORM == SQUARES) {
            TwoWords left = square(low, placement << 7) & square(second, placement << 3);
            return three ? left & square(third, placement >> 1) : left;
        }
        TwoWords left = words(low, (placement << 7 & 0x7f80) | lane);
        if (FORM == TWO) {
            left = left & square(squares, placement >> 1);
        }
        if (FORM == PAIR_AND_TWO) {
            left = left & square(squares, placement >> 1) & square(second, placement >> 5);
        }
        return left;
    };
    const u32 SHIFT = FORM == TWO_PAIRS_AND_ONE ? 20 : 16;
    const u32 EACH = STEM_MULTIPLE / 2;
    u32 limit = side.even_limit << SHIFT, half = thread / HALF_WARP % 2;
    begin += thread / 32 * STEM_MULTIPLE;
    const Four* from = reinterpret_cast<const Four*>(placements + begin + half * EACH);
    const u32 STEP = THREADS / 32 * STEM_MULTIPLE;
    for (u32 i = begin; i < end; i += STEP, from += STEP / 4) {
        Four four[EACH / 4];
#pragma unroll
        for (u32 k = 0; k < EACH / 4; k++) {
            four[k] = from[k];
        }
        u32 last = four[0].of[0], before = last, first = 0, other = 0;
        if (last >= limit) {
            break;
        }
        TwoWords single = {~0u, ~0u};
        if (FORM == TWO_PAIRS_AND_ONE) {
            single = square(squares, last >> 9);
        }
#pragma unroll
        for (u32 f = 0; f < EACH / 4; f++) {
            // Read four masks before any branch, because the compiler moves no read across one.
            TwoWords left[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                left[k] = survivors(four[f].of[k]);
            }
            u32 firsts[4], others[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                // Placements with the same even index are sorted by their lone square, so its mask
                // is often that of the placement before.
                u32 placement = four[f].of[k];
                if (FORM == TWO_PAIRS_AND_ONE && f + k > 0) {
                    if ((placement ^ before) & 0xf0000) {
                        single = square(squares, placement >> 9);
                    }
                    before = placement;
                }
                TwoWords all = left[k] & single;
                firsts[k] = population(all.first);
                others[k] = population(all.second);
            }
            // Sorted by even index: if the last of the four has the same one as before, so do all.
            if ((four[f].of[3] ^ last) >> SHIFT == 0) {
                first += firsts[0] + firsts[1] + firsts[2] + firsts[3];
                other += others[0] + others[1] + others[2] + others[3];
                continue;
            }
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u32 placement = four[f].of[k];
                if ((placement ^ last) >> SHIFT != 0) {
                    visitor.visit(first, other, last >> SHIFT);
                    first = other = 0;
                    last = placement;
                }
                first += firsts[k];
                other += others[k];
            }
        }
        visitor.visit(first, other, last >> SHIFT);
    }
}

// The first level at which stem `s` differs from the stem before.
DEVICE u32 first_change(const Stem* stems, u32 s, u32 stem_rows) {
    return s == 0 || stem_rows == 0 ? 0 : lowest(stems[s].path ^ stems[s - 1].path) / 4;
}

// Scans one side of a job. Each thread has a visitor for the lists of its two words.
template <class Visitor>
DEVICE void scan(const Launch& launch, const Side& side, const Shared& shared) {
    const WalkEntry& walk = side.walk;
    const Stem* stems = at<Stem>(launch, walk.stems);
    const u32* placements = at_list<u32>(launch, walk.placements);
    u32 top = walk.stem_rows;
    for (u32 s = 0; s < walk.stem_count; s++) {
        for (u32 level = first_change(stems, s, top); level < top; level++) {
            u64 taken = at<u64>(launch, walk.squares)[level * walk.cols
                                                     + (stems[s].path >> (4 * level) & 15)];
            EACH_THREAD { sift_lists(launch, side, level, taken, shared, thread); }
            BARRIER;
        }
        EACH_THREAD {
            make_table(side, shared.counts + top * MOST_LISTS, shared, thread);
        }
        BARRIER;
        for (u32 first = 0; first < *shared.words; first += MASK_WORDS) {
            EACH_THREAD { make_planes(launch, top, first, shared, thread); }
            BARRIER;
            EACH_THREAD { make_square_masks(launch, walk, shared, thread); }
            BARRIER;
            if (walk.row_pairs > 0) {
                EACH_THREAD { make_pair_masks(walk, shared, thread); }
                BARRIER;
            }
            EACH_THREAD {
                u32 begin = stems[s].first, end = stems[s + 1].first;
                // Words beyond the last are empty, so they may name any list.
                u32 place = first + thread % HALF_WARP * 2, words = *shared.words;
                Visitor visitor(launch, side, shared,
                                place < words ? shared.table[place] % MOST_LISTS : 0,
                                place + 1 < words ? shared.table[place + 1] % MOST_LISTS : 0);
                if (walk.singles > 1 && walk.row_pairs == 0) {
                    visit<SQUARES>(side, placements, begin, end, shared, thread, visitor);
                } else if (walk.singles > 1) {
                    visit<PAIR_AND_TWO>(side, placements, begin, end, shared, thread, visitor);
                } else if (walk.row_pairs == 2 && walk.singles == 1) {
                    visit<TWO_PAIRS_AND_ONE>(side, placements, begin, end, shared, thread, visitor);
                } else if (walk.row_pairs == 2) {
                    visit<TWO_PAIRS>(side, placements, begin, end, shared, thread, visitor);
                } else if (walk.singles + walk.row_pairs > 1) {
                    visit<TWO>(side, placements, begin, end, shared, thread, visitor);
                } else {
                    visit<ONE>(side, placements, begin, end, shared, thread, visitor);
                }
                add_warp(&shared.sums[thread / 32], visitor.sum, thread % 32);
            }
            BARRIER;
        }
    }
}

// The rows of the tile. Placements without a row use the row `last`.
template <class Cell>
struct TileRows {
    char* tile;
    u32 bytes;                      // of a row
    u32 last;
    u64 sum;

    DEVICE TileRows(const Launch& launch, const Shared& shared, u32 last)
        : tile(reinterpret_cast<char*>(shared.tile)), bytes(sizeof(Cell) << launch.width_bits),
          last(last), sum(0) {}

    DEVICE char* of(u32 even) {
        return tile + (even < last ? even : last) * bytes;
    }
};

// A 1 in the half of a word that is a list's narrow cell. Rows of the tile begin at a whole word.
DEVICE u32 one_in_half(u32 list) {
    return 1u << (16 * (list % 2));
}

// Adds survivors to their cells. Nobody gathers from the row `last`.
template <class Cell>
struct Adder : TileRows<Cell> {
    // The words of a row that hold the cells of the two lists, and factors that move survivors to
    // the right half of a word. If both cells are in one word, one addition serves both.
    //
    //     | list 1 | list 0 |     survivors of list 1 are multiplied with 0x10000
    u32 place, other_place;
    u32 of_first, of_second, of_other;

    DEVICE Adder(const Launch& launch, const Side& side, const Shared& shared, u32 list, u32 other)
        : TileRows<Cell>(launch, shared, side.even_limit + 1), place(list / 2 * 4),
          other_place(other / 2 * 4), of_first(one_in_half(list)), of_second(0), of_other(0) {
        if (sizeof(Cell) != 2) {
            place = 4 * list;
            other_place = 4 * other;
        } else if (list / 2 == other / 2) {
            of_second = one_in_half(other);
        } else {
            of_other = one_in_half(other);
        }
    }

    DEVICE void visit(u32 first, u32 second, u32 even) {
        char* row = this->of(even);
        u32* at = reinterpret_cast<u32*>(row + place);
        u32* other = reinterpret_cast<u32*>(row + other_place);
        if (sizeof(Cell) == 2) {
            add_nonzero(at, first * of_first + second * of_second);
            add_nonzero(other, second * of_other);
            this->sum += first + second;
        } else {
            add_to(at, first);
            add_to(other, second);
        }
    }
};

// Sums up survivors times the count in their cell. The row `last` is 0.
template <class Cell>
struct Summer : TileRows<Cell> {
    u32 list, other;

    DEVICE Summer(const Launch& launch, const Side& side, const Shared& shared, u32 list, u32 other)
        : TileRows<Cell>(launch, shared, side.even_limit), list(list), other(other) {}

    DEVICE void visit(u32 first, u32 second, u32 even) {
        const Cell* row = reinterpret_cast<const Cell*>(this->of(even));
        this->sum += (u64)first * row[list] + (u64)second * row[other];
    }
};
