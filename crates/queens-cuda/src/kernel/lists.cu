// Lists of partial placements, and how warps read them.
//
// A partial placement is a listed placement with queens in the first rows of a core. Only the lines
// of both are kept, 64 bits. Partial placements whose core queens stand in the same columns form a
// list. Each list of a level has a slot, and all slots of a level have the same size. One level
// uses one half of the block's scratch, the next level the other:
//
//     half        | {0} ...   | {1} .....   | {2} ..   | ...
//     ends              ^             ^          ^             in shared memory, one for each list
//
// Reading the card's memory takes long. So a warp reads a list in chunks. While it works on one
// chunk, the next one, of the same list or of the next list, is copied to the warp's shared memory:
//
//     copied      chunk 1 | chunk 2   | chunk 3   | ...
//     worked on             chunk 1   | chunk 2   | ...

// The memory that a block uses for its job. It is read where it is needed, so that it takes no
// registers.
struct Job {
    SweepFixed& fixed;
    u32* ends;              // where the lists of two levels end
    u64* scratch;           // the block's
};

// The half of the scratch that holds the lists of a level.
DEVICE u64* half_of(const SweepLaunch& launch, const Job& job, u32 level) {
    return job.scratch + level % 2 * (u64)launch.scratch_room;
}

// A list of partial placements.
struct PartialList {
    const u64* items;
    u32 length;
};

// The list at this place in its level. Level 0 has only one, the listed placements.
DEVICE PartialList list_at(const SweepLaunch& launch, const Job& job, u32 level, u32 place) {
    if (level == 0) {
        return {job.fixed.listed, job.fixed.listed_length};
    }
    u32 slot = launch.slots[level], start = place * slot;
    u32 length = job.ends[launch.list_places[level] + place] - start;
    if (length > slot) {
        *launch.flag = NO_ROOM;
        length = 0;
    }
    return {half_of(launch, job, level) + start, length};
}

// How many lists a level has.
DEVICE u32 lists_of(const SweepLaunch& launch, u32 level) {
    return launch.level_starts[level + 1] - launch.level_starts[level];
}

// Empties the lists of a level.
DEVICE void clear_lists(const SweepLaunch& launch, const Job& job, u32 level) {
    u32 number = lists_of(launch, level);
    EACH_THREAD {
        for (u32 place = thread; place < number; place += THREADS) {
            job.ends[launch.list_places[level] + place] = place * launch.slots[level];
        }
    }
}

// A list that a warp reads, perhaps only some of its chunks while other warps read the rest.
struct Piece {
    const u64* items;       // of the whole list
    u32 length, first;      // of the list, and where the next chunk begins
    u32 place;              // of the list in its level
    u32 goal;               // the place of the list that column `lane` leads to
};

// Makes a piece of a list. Lists of the last level lead nowhere.
template <bool LEADS_ON>
DEVICE Piece piece_at(const SweepLaunch& launch, const Job& job, u32 level, u32 place, u32 first, u32 lane) {
    PartialList list = list_at(launch, job, level, place);
    u32 goal = NONE_16;
    if (LEADS_ON && lane < GOALS) {
        goal = launch.goals[(launch.level_starts[level] + place) * GOALS + lane];
    }
    return {list.items, list.length, first, place, goal};
}

// Starts copying the next chunk of a piece to the warp's shared memory. All lists but the listed
// placements begin at a multiple of 16 bytes, so two placements can be copied at once.
template <u32 CHUNK>
DEVICE void copy_chunk(SweepFixed& fixed, CohortMemory& memory, const Piece& piece, bool listed, u32 lane) {
    u32 left = piece.length - piece.first, to = number_of(&fixed, memory.copied);
    const u64* from = piece.items + piece.first;
    if (listed) {
        for (u32 number = lane; number < smaller(left, CHUNK); number += LANES) {
            copy_ahead(&fixed, to + number * (u32)sizeof(u64), from + number);
        }
        return;
    }
    from = opaque(from + 2 * lane);
    to += 2 * lane * (u32)sizeof(u64);
#pragma unroll
    for (u32 number = 0; number < CHUNK; number += 2 * LANES) {
        copy_two_ahead_if(&fixed, number + 2 * lane < left, to + number * (u32)sizeof(u64), from + number);
    }
}

// The chunk that follows another one, if there is one.
template <u32 CHUNK>
struct Following {
    SweepFixed& fixed;
    CohortMemory& memory;
    const Piece& piece;
    bool is_there, listed;
    u32 lane;

    // Starts copying it.
    DEVICE void copy() const {
        if (is_there) {
            copy_chunk<CHUNK>(fixed, memory, piece, listed, lane);
        }
        end_copies();
    }
};

// Calls `act` with every chunk of every piece. The warps of a block take the pieces one by one.
// `act` is also given the following chunk, and starts copying it as soon as it has read its own.
template <u32 CHUNK, class PieceOf, class Act>
DEVICE void each_chunk(SweepFixed& fixed, CohortMemory& memory, u32 pieces, u32 step, bool listed, u32 lane,
                       PieceOf piece_of, Act act) {
    u32 counter = number_of(&fixed, &fixed.next_piece);
    auto take = [&] { return lane == 0 ? add(&fixed, counter, 1) : 0; };
    u32 taken = take();
    auto next_piece = [&](Piece& piece) {
        for (;;) {
            u32 number = FIRST(taken);
            if (number >= pieces) {
                return false;
            }
            taken = take();
            piece = piece_of(number);
            if (piece.first < piece.length) {
                return true;
            }
        }
    };
    Piece piece;
    bool is_there = next_piece(piece);
    Following<CHUNK>{fixed, memory, piece, is_there, listed, lane}.copy();
    while (is_there) {
        Piece next = piece;
        next.first += step;
        is_there = next.first < next.length || next_piece(next);
        act(piece, Following<CHUNK>{fixed, memory, next, is_there, listed, lane});
        piece = next;
    }
}

// A copied partial placement of the lane; beyond the end, one that leaves no square free.
DEVICE u64 copied_or_none(const SweepFixed& fixed, u32 own, u32 word, u32 number, u32 lane) {
    u32 diags = ~0u, antis = ~0u;
    u32 place = own + word * LANES * (u32)sizeof(u64);
    read_if(&fixed, word * LANES + lane < number, place, diags, antis);
    return (u64)antis << 32 | diags;
}
