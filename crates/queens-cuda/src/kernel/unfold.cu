// Unfolding: a warp chooses the first queens of a walked placement, finds the scanned placements
// that they do not attack, and extends each of these on its own, queen by queen. Unfolding pays if
// few scanned placements survive, scanning if many do.
//
// An *item* is a scanned placement with the walked queens so far. A *step* takes 32 items with the
// same number of rows left. Each lane places one queen in its item, and keeps the result unless
// some row has no free square left. An item with three or more rows left has 96 bits:
//
//     63                     32 31                 0   31               16  15  14            0
//     | list, | anti-diagonals | list, | diagonals |   | columns to be tried | 2 | columns taken |
//       high                     low                                           ^ TWICE
//
// Items with the same number of rows left are a level, which has room for 64. The deepest level
// that fills a warp goes first, so no level overflows and few lanes idle:
//
//     rows left   5    |######                    |
//                 4    |################          |
//                 3    |##########################|   32 or more: this level steps
//
// The last two rows differ between the pairs of a job. So an item with two rows left goes on the
// *pile* once for every pair for which both of these rows have a free square. There it has 64
// bits. A lane takes one and goes through its squares, two of the second row at a time:
//
//     63         56 55           48  47  46           32 31              16 15              0
//     | list * bytes | row distance | 2 | columns taken | free, second row | free, first row |
//       of a cell                     ^ TWICE
//
// No warp waits for another before the job is done. A gathering colour looks its placements up in
// the tile; a stored colour adds them to it.

// How many queens are chosen before the first level.
DEVICE u32 first_queens(const Launch& launch, u32 rows) {
    return rows > launch.first_queens + MOST_LEFT ? rows - MOST_LEFT : launch.first_queens;
}

// The size of a portion: how many scanned placements of a first queen's list a warp takes at a
// time. `number` is how many all lists have. If there are no other queens to choose, a portion just
// fills a warp; it is smaller if every warp takes only one or two, so that all warps get the same.
DEVICE u32 portion_size(u32 queens, u32 number, u32 warps) {
    if (queens > 1) {
        return 16 * LANES;
    }
    u32 times = (number + warps * LANES - 1) / (warps * LANES);
    u32 size = times > 2 || times == 0 ? LANES : (number + times * warps - 1) / (times * warps);
    return size < LANES / 4 ? LANES / 4 : size;
}

// Replaces the odd index above the lines by the number of the list: the index minus `less`.
DEVICE u64 with_list(u64 lines, u32 above, u32 less) {
    u32 diag = (u32)lines, anti = (u32)(lines >> 32);
    u32 list = (diag >> above | anti >> above << (32 - above)) - less;
    u32 bits = (1u << above) - 1;
    u32 high = (anti & bits) | list >> (32 - above) << above;
    return (u64)high << 32 | (diag & bits) | list << above;
}

template <class Cell, bool REVERSES, bool STORES>
struct Unfold {
    static const u32 BYTES = sizeof(Cell);
    const Launch& launch;
    WarpMemory& memory;
    const u16* rows_of;             // where the row of each set of columns begins in the tile
    const Shift* shifts;            // the end of the rows' shifts: shifts[-1] is the last row's
    const LastRows* last_rows;      // for each pair
    u32 pairs;
    const void* memory_of_tile;
    u32 tile;                       // the number of its first cell
    u32 none;                       // where the row that stays 0 begins
    u32 last_cols;
    u64 paired;                     // a bit for each list that is next to its mirror image
    u32 all;                        // all columns, as bits
    // How many items have 3, 4, 5, 6 rows left, and how many 7, 8, 9: a byte each.
    u32 deep = 0, high = 0;
    // The end of the pile, and where the end is when the pile fills a warp.
    u32 piled = 0, full = 0;
    // An item with two rows left, the columns that it leaves open, and the next pair for which it
    // goes on the pile.
    u32 diag = 0, anti = 0, id = 0, open = 0, pair = ~0u;
    // The lane's item in the last two rows: the free squares of both, without those of the first
    // row that have been tried; the item's id; its columns with that of the queen in the first row;
    // the squares of the second row that this queen leaves and that have not been tried.
    u32 free = 0, last_id = 0, cols = 0, seconds = 0;
    u64 sum = 0;
    // The values that the two cells last added to had before, and all bits that any cell ever had.
    u32 before = 0, also_before = 0, seen = 0;

    // The squares of a row in open columns that no line attacks.
    DEVICE u32 free_squares(Shift shift, u32 open, u32 diag, u32 anti) {
        return open & ~(diag >> shift.diag | anti >> shift.anti);
    }

    // How many items have `left` rows left.
    DEVICE u32 count(u32 left) {
        return left < 7 ? byte_of(deep, left - 3) : byte_of(high, left - 7);
    }

    DEVICE void add_count(u32 left, u32 number) {
        if (left < 7) {
            deep += number << (8 * (left - 3));
        } else {
            high += number << (8 * (left - 7));
        }
    }

    DEVICE void push(u32 left, bool lives, u32 diag, u32 anti, u32 cols) {
        u32 votes = BALLOT(lives);
        Items& items = memory.items[left - 3];
        u32 place = count(left) + lanes_before(votes, LANE);
        if (lives) {
            items.lines[place] = (u64)anti << 32 | diag;
            items.cols[place] = cols;
        }
        add_count(left, population(votes));
    }

    // Takes items with two rows left, which `pile_pair` puts on the pile.
    DEVICE void push_pairs(bool lives, u32 cols, u32 of_diag, u32 of_anti) {
        u32 above = launch.diagonals;
        u32 list = (of_diag >> above | of_anti >> above << (32 - above)) & (MOST_LISTS - 1);
        id = list * BYTES << 24 | cols;
        // A dead item has no open column.
        open = lives ? all & ~cols : 0;
        diag = of_diag;
        anti = of_anti;
        pair = 0;
    }

    // Puts these items on the pile for the next pair.
    DEVICE void pile_pair() {
        LastRows rows = last_rows[pair++];
        u32 first = open_and_free(open, diag >> rows.first.diag, anti >> rows.first.anti);
        u32 second = open_and_free(open, diag >> rows.second.diag, anti >> rows.second.anti);
        bool lives = smaller(first, second) != 0;
        u32 votes = BALLOT(lives);
        // If the second row has only one free square, it goes first.
        u32 both = second << 16 | first;
        if ((second & (second - 1)) == 0) {
            both = both << 16 | both >> 16;
        }
        write_if(&memory, lives, piled + 8 * lanes_before(votes, LANE), both, id + rows.id);
        piled += 8 * population(votes);
    }

    // Places one queen in each of 32 items with LEFT rows left, or in fewer items if they do not
    // FILL the warp. An item goes back to its level if it has other columns to try.
    template <u32 LEFT, bool FILL>
    DEVICE void step() {
        const Items& items = memory.items[LEFT - 3];
        u32 in = count(LEFT), taken = FILL || in > LANES ? LANES : in;
        add_count(LEFT, 0 - taken);
        u64 lines = 0;
        u32 word = 0;
        if (FILL || LANE < taken) {
            lines = items.lines[in - taken + LANE];
            word = items.cols[in - taken + LANE];
        }
        u32 diag = (u32)lines, anti = (u32)(lines >> 32);
        // Take out the lowest column to be tried.
        u32 others = word & (word - 0x10000), x = (word ^ others) >> 16, cols = (word & 0x7fff) | x;
        push(LEFT, others >= 0x10000, diag, anti, others);
        Shift shift = *(shifts - LEFT);
        diag |= x << shift.diag;
        anti |= x << shift.anti;
        bool lives = (FILL || x != 0) && cols <= last_cols;
        if (LEFT == 3) {
            push_pairs(lives, (word & TWICE) | cols, diag, anti);
        } else {
            u32 open = all & ~cols, next = free_squares(*(shifts - (LEFT - 1)), open, diag, anti);
            lives = lives && next != 0;
#pragma unroll
            for (u32 left = LEFT - 2; left > 2; left--) {
                lives = lives && free_squares(*(shifts - left), open, diag, anti) != 0;
            }
            push(LEFT - 1, lives, diag, anti, next << 16 | (word & TWICE) | cols);
            WARP_SYNC;
        }
    }

    // The sum of the counts that two placements with these columns find; one without a cell finds
    // 0. If the lowest bit of a row is set, it is the row of the mirror image. Then a list that is
    // next to its own mirror image gives way to it: their numbers differ in the lowest bit.
    DEVICE u64 find_cells(u32 one, u32 other) {
        u32 row = rows_of[one], other_row = rows_of[other];
        u32 list = last_id >> 24, of_list = tile + list;
        if (REVERSES) {
            u32 reversed = (u32)(paired >> list / BYTES) & 1;
            auto find = [&](u32 row) {
                u32 place = tile + (list ^ (row & reversed) * BYTES);
                return read<Cell>(memory_of_tile, place + (row & ~1u) * BYTES);
            };
            return (u64)find(row) + find(other_row);
        }
        u32 found = read<Cell>(memory_of_tile, of_list + row * BYTES);
        u32 also = read<Cell>(memory_of_tile, of_list + other_row * BYTES);
        return (u64)found + also;
    }

    // Adds two placements with these columns to their cells, if they have any. Only 1 is added at a
    // time, so a narrow cell is seen with its highest bit set long before it overflows.
    DEVICE void add_cells(u32 one, u32 other) {
        u32 row = rows_of[one], other_row = rows_of[other], list = last_id >> 24;
        const bool NARROW = BYTES == 2;
        u32 of_list = NARROW ? (tile + list) & ~3u : tile + list;
        u32 added = NARROW && (last_id & 2 << 24) ? 0x10000 : 1;
        seen |= before | also_before;
        if (row != none) {
            before = add(memory_of_tile, of_list + row * BYTES, added);
        }
        if (other_row != none) {
            also_before = add(memory_of_tile, of_list + other_row * BYTES, added);
        }
    }

    // Whether the lane has tried all squares of its item. The second row's half of `free` does not
    // matter once no square of the first row remains.
    DEVICE bool done() {
        return ((free & 0xffff) | seconds) == 0;
    }

    // Places last queens: a lane that is done with its item takes another from the pile, and then
    // each lane tries two squares of the second row. ENOUGH says that the pile has an item for
    // every lane.
    template <bool ENOUGH>
    DEVICE void place_last() {
        bool takes = done();
        u32 votes = BALLOT(takes), number = population(votes);
        if (!ENOUGH) {
            u32 in = (piled + 8 * LANES - full) / 8;
            number = number < in ? number : in;
            free = takes ? 0 : free;
            last_id = takes ? 0 : last_id;
            takes = takes && lanes_before(votes, LANE) < in;
        }
        read_if(&memory, takes, piled - 8 - 8 * lanes_before(votes, LANE), free, last_id);
        piled -= 8 * number;
        // If all squares of the second row have been tried, take the next square of the first.
        bool fresh = seconds == 0;
        u32 left = free & (free - (fresh ? 1 : 0)), x = free ^ left, distance = last_id >> 16;
        u32 attacked = x | shifted_up(x, distance) | shifted_down(x, distance);
        free = left;
        seconds = fresh ? left >> 16 & ~attacked : seconds;
        cols = fresh ? (last_id & 0x7fff) | x : cols;
        u32 without_one = seconds & (seconds - 1), without_two = without_one & (without_one - 1);
        u32 one = or_differing(cols, seconds, without_one);
        u32 other = or_differing(cols, without_one, without_two);
        seconds = without_two;
        // If a square is missing, the columns are too few and have no row in the tile.
        if (STORES) {
            add_cells(one, other);
        } else {
            u64 found = find_cells(one, other);
            sum += REVERSES && (last_id & TWICE) ? 2 * found : found;
        }
    }

    // Makes the next items from their source, and returns whether there will be more.
    DEVICE bool begin(u32 left) {
        ItemSource of = memory.source;
        u32 start = of.start;
        u64 coming = start + LANE < of.end ? of.list[start + LANE] : ~0ull;
        do {
            // Fetch the next placements while working on these.
            u64 item = coming;
            start += LANES;
            coming = start + LANE < of.end ? of.list[start + LANE] : ~0ull;
            u32 of_diag = (u32)item, of_anti = (u32)(item >> 32);
            bool lives = ((of_diag & of.others_diag) | (of_anti & of.others_anti)) == 0;
            of_diag |= of.diag;
            of_anti |= of.anti;
            if (left == 2) {
                push_pairs(lives, of.cols, of_diag, of_anti);
                // All lanes have read where to begin.
                WARP_SYNC;
                break;
            }
            u32 next = free_squares(*(shifts - left), all & ~of.cols, of_diag, of_anti);
            push(left, lives && next != 0, of_diag, of_anti, next << 16 | of.cols);
        } while (start < of.end && count(left) < LANES);
        memory.source.start = start;
        WARP_SYNC;
        return start < of.end;
    }

    // Takes first queens with portions of their lists until there are no more. `ends` says how many
    // portions there are up to each first queen, and `lengths` how long its list is. If there are
    // few portions for each warp, a warp takes another only when it is done with the last, or if
    // many are left; otherwise the others would wait for it at the end.
    DEVICE void run(const WalkEntry& walk, u32* next_portion, u32 firsts, const u64* lists,
                    const u32* lengths, const u32* ends) {
        u32 rows = walk.rows, cols = walk.cols, queens = first_queens(launch, rows);
        u32 left = rows - queens, choices = 1;
        for (u32 row = 1; row < queens; row++) {
            choices *= cols;
        }
        bool begins = false, more = true;
        u32 warps = THREADS / 32, all_portions = ends[firsts - 1] * choices;
        u32 portions_left = all_portions > 4 * warps ? ~0u : all_portions;
        for (;;) {
            while (pair < pairs) {
                pile_pair();
                while (piled >= full) {
                    place_last<true>();
                }
            }
            // The deepest level that fills the warp goes first.
            if (deep & 0xe0) {
                step<3, true>();
                continue;
            }
            if (deep & 0xe000) {
                step<4, true>();
                continue;
            }
            if (deep & 0xe00000) {
                step<5, true>();
                continue;
            }
            if (deep & 0xe0000000) {
                step<6, true>();
                continue;
            }
            if (high & 0xe0e0e0) {
                if (high & 0xe0) {
                    step<7, true>();
                } else if (high & 0xe000) {
                    step<8, true>();
                } else {
                    step<9, true>();
                }
                continue;
            }
            if (begins) {
                begins = begin(left);
                continue;
            }
            bool empty = (deep | high) == 0;
            if (more && (empty || portions_left >= 2 * warps)) {
                u32 taken = 0;
                if (LANE == 0) {
                    taken = take(next_portion);
                }
                taken = FIRST(taken);
                u32 portion = taken / choices, choice = taken % choices;
                u32 before = BALLOT(LANE < firsts && ends[LANE < firsts ? LANE : 0] <= portion);
                u32 j = population(before), share = choices;
                more = j < firsts;
                if (!more) {
                    continue;
                }
                portions_left = portions_left == ~0u ? ~0u : all_portions - 1 - taken;
                u32 size = lengths[PORTION_SIZE];
                u32 start = (portion - (j > 0 ? ends[j - 1] : 0)) * size;
                u32 end = start + size < lengths[j] ? start + size : lengths[j];
                Shift shift = *(shifts - rows);
                u32 set = 1u << j;
                u32 first_diag = set << shift.diag, first_anti = set << shift.anti;
                u32 others_diag = 0, others_anti = 0;
                bool legal = true;
                for (u32 row = 1; row < queens; row++) {
                    choice %= share;
                    share /= cols;
                    u32 square = 1u << choice / share;
                    shift = *(shifts - rows + row);
                    legal = legal
                            && (free_squares(shift, all & ~set, first_diag | others_diag,
                                             first_anti | others_anti) & square) != 0;
                    set |= square;
                    others_diag |= square << shift.diag;
                    others_anti |= square << shift.anti;
                }
                begins = legal && set <= last_cols;
                if (begins) {
                    u32 mark = REVERSES && 2 * j + 1 != cols ? TWICE : 0;
                    memory.source = {lists + j * launch.list_room, start, end, set | mark,
                                        first_diag | others_diag, first_anti | others_anti,
                                        others_diag, others_anti, 0};
                }
                WARP_SYNC;
                continue;
            }
            if (empty) {
                break;
            }
            // At the end the level with the most rows left goes first, because its items fill the
            // others.
            switch (high != 0 ? 7 + highest(high) / 8 : 3 + highest(deep) / 8) {
            case 3: step<3, false>(); break;
            case 4: step<4, false>(); break;
            case 5: step<5, false>(); break;
            case 6: step<6, false>(); break;
            case 7: step<7, false>(); break;
            case 8: step<8, false>(); break;
            default: step<9, false>();
            }
        }
        // At the very end there are fewer items than lanes.
        while (piled != full - 8 * LANES || BALLOT(!done()) != 0) {
            place_last<false>();
        }
    }
};

// Sifts a list: keeps the placements that a queen on these lines does not attack, and returns how
// many there are.
DEVICE u32 sift(const Launch& launch, const u64* items, u32 length, u64 lines, u32 less, u64* to) {
    const u32 AT_ONCE = 4;
    u32 count = 0;
    for (u32 start = 0; start < length; start += AT_ONCE * LANES) {
        u64 item[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            u32 at = start + k * LANES + LANE;
            item[k] = at < length ? items[at] : ~0ull;
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            // Beyond the end, a placement that uses every line.
            bool keeps = (item[k] & lines) == 0;
            u32 votes = BALLOT(keeps);
            if (keeps) {
                to[count + lanes_before(votes, LANE)] = with_list(item[k], launch.diagonals, less);
            }
            count += population(votes);
        }
    }
    return count;
}

// Stores or gathers by unfolding, with all warps of the block.
template <class Cell, bool REVERSES, bool STORES>
DEVICE void unfold(const Launch& launch, const JobEntry& job, const Shared& shared) {
    const PairEntry* pairs = at<PairEntry>(launch, launch.pairs) + job.first_pair;
    WalkEntry walk = at<WalkEntry>(launch, launch.walks)[STORES ? pairs[0].store_walk
                                                                : pairs[0].gather_walk];
    u32 cols = walk.cols, rows = walk.rows;
    // All pairs of a job have the same stored walk and the same gathering scan.
    u32 different_rows = STORES ? 1 : job.pairs, scans = STORES ? job.pairs : 1;
    u32 even_limit = most_of(pairs, job.pairs, &PairEntry::even_limit);
    u32 last_cols = most_of(pairs, job.pairs, &PairEntry::last_cols);
    // For odd n the first queen stays left of the middle, or in it; mirror images count with it.
    u32 firsts = REVERSES ? (cols + 1) / 2 : cols;
    LastRows* last_rows = reinterpret_cast<LastRows*>(shared.unfold);
    Shift* shifts = reinterpret_cast<Shift*>(last_rows + MOST_PAIRS);
    u32* lengths = reinterpret_cast<u32*>(shifts + MOST_ROWS);
    u32* ends = lengths + MOST_ROWS;
    u32* rows_of = ends + MOST_ROWS;
    u32 table = ((1u << cols) + 1) / 2;
    u32 queens = first_queens(launch, rows), left = rows - queens;
    u32 warp_words = (sizeof(WarpMemory) + (left > 3 ? left - 3 : 0) * sizeof(Items)) / 8;
    u64* lists = launch.scratch + (u64)BLOCK * launch.scratch_room;
    // The lines of the first square of a row. Those of its other squares are shifted copies.
    auto first_square = [&](u32 p, u32 row) {
        return STORES ? at<u64>(launch, walk.squares)[row * cols]
                      : at<u64>(launch, pairs[p].gather_rows)[row];
    };
    auto shift_of = [&](u32 p, u32 row) {
        u64 lines = first_square(p, row);
        return Shift{lowest((u32)lines), lowest((u32)(lines >> 32))};
    };
    // Where the row of an even index begins; the lowest bit marks the row of a mirror image.
    auto begins_at = [&](u32 even) {
        u32 row = REVERSES && even != NO_INDEX ? even & ~REVERSED : even;
        row = (row < even_limit ? row : even_limit) << launch.width_bits;
        return REVERSES && even >= REVERSED ? row | 1 : row;
    };
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            *shared.next_first = *shared.next_portion = 0;
        }
        const u32* from = at<u32>(launch, STORES ? launch.stored_even_index_of
                                                 : launch.even_index_of);
        for (u32 two = thread; two < table; two += THREADS) {
            rows_of[two] = begins_at(from[two] & 0xffff) | begins_at(from[two] >> 16) << 16;
        }
        if (thread < rows) {
            shifts[thread] = shift_of(0, thread);
        }
        if (thread < different_rows) {
            Shift first = shift_of(thread, rows - 2), second = shift_of(thread, rows - 1);
            u32 distance = second.diag < first.diag ? first.diag - second.diag
                                                    : second.diag - first.diag;
            u32 list = thread * job.odd_count;
            u32 id = list * (u32)sizeof(Cell) << 24 | distance << 16;
            last_rows[thread] = {first, second, id, {}};
        }
    }
    BARRIER;
    // Sift the lists by each first queen.
    EACH_WARP {
        for (;;) {
            u32 taken = 0;
            if (LANE == 0) {
                taken = take(shared.next_first);
            }
            u32 j = FIRST(taken);
            if (j >= firsts) {
                break;
            }
            u64 first = first_square(0, 0);
            u64 lines = (u64)((u32)(first >> 32) << j) << 32 | (u32)first << j;
            u32 length = 0;
            for (u32 p = 0; p < scans; p++) {
                ScanEntry entry = at<ScanEntry>(launch, launch.scans)[STORES ? pairs[p].store_scan
                                                                     : pairs[p].gather_scan];
                u32 limit = STORES ? pairs[p].odd_limit
                                   : most_of(pairs, job.pairs, &PairEntry::odd_limit);
                u32 end = job.first_odd + job.odd_count < limit ? job.first_odd + job.odd_count : limit;
                if (end > job.first_odd) {
                    const u32* starts = at<u32>(launch, entry.starts);
                    u32 start = starts[job.first_odd];
                    const u64* items = at_list<u64>(launch, entry.lines) + start;
                    length += sift(launch, items, starts[end] - start, lines,
                                   job.first_odd - p * job.odd_count,
                                   lists + j * launch.list_room + length);
                }
            }
            if (LANE == 0) {
                lengths[j] = length;
            }
        }
    };
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            u32 end = 0, number = 0;
            for (u32 j = 0; j < firsts; j++) {
                number += lengths[j];
            }
            u32 size = portion_size(queens, number, THREADS / 32);
            for (u32 j = 0; j < firsts; j++) {
                end += (lengths[j] + size - 1) / size;
                ends[j] = end;
            }
            lengths[PORTION_SIZE] = size;
        }
    }
    BARRIER;
    EACH_WARP {
        u64* memory = reinterpret_cast<u64*>(rows_of + (table + 1) / 2 * 2) + warp * warp_words;
        u64 paired = 0;
        for (u32 list = 0; REVERSES && list < job.pairs * job.odd_count; list++) {
            paired |= (u64)(job.first_odd + list % job.odd_count < launch.odd_pairs) << list;
        }
        Unfold<Cell, REVERSES, STORES> own = {launch,
                                           *reinterpret_cast<WarpMemory*>(memory),
                                           reinterpret_cast<const u16*>(rows_of),
                                           shifts + rows,
                                           last_rows,
                                           different_rows,
                                           shared.tile,
                                           number_of(shared.tile, shared.tile),
                                           even_limit << launch.width_bits,
                                           STORES ? (1u << cols) - 1 : last_cols,
                                           paired,
                                           (1u << cols) - 1};
        own.piled = number_of(memory, own.memory.pile);
        own.full = opaque(own.piled + 8 * LANES);
        own.run(walk, shared.next_portion, firsts, lists, lengths, ends);
        WARP_SYNC;
        u32 seen = own.before | own.also_before | own.seen;
        if (STORES && sizeof(Cell) == 2 && (seen & 0x80008000) != 0) {
            *launch.flag = TOO_LARGE;
        }
        add_warp(&shared.sums[warp], own.sum, LANE);
    };
}
