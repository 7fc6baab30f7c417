// Dealing: from partial placements of a level to those of the next.
//
// In the row of the next level, each partial placement of a list is extended by a queen in every
// column that it leaves free:
//
//     level 1             {2}
//                      /   |   \              those of {2} that leave row 1, column 5 free are
//     level 2     {0, 2} {2, 5} {2, 9}        dealt to {2, 5}, and those of {5} with column 2
//
// A warp deals 128 partial placements at a time, four per lane. For each column, ballots tell each
// lane how many of the survivors come before its own. So the last lane knows how many there are in
// all, and reserves room for them at the end of their list. Lists of the last level are cohorts.

// Where the partial placements of a list go.
struct Goals {
    u64* half;              // the scratch of the next level
    u32 diag, anti;         // the lines of column 0 in its row
    u32 columns;            // the columns that lead to a list
    u32 end;                // where the end of column `lane`'s list is noted
};

// Deals some partial placements, `STEPS` for each lane.
template <u32 STEPS>
DEVICE void deal_some(const SweepLaunch& launch, const Job& job, const Goals& goals, const u64* item,
                      u32 lane) {
    u32 taken[STEPS];
#pragma unroll
    for (u32 step = 0; step < STEPS; step++) {
        taken[step] = shifted_down((u32)item[step], goals.diag)
                      | shifted_down((u32)(item[step] >> 32), goals.anti);
    }
    for (u32 columns = goals.columns; columns != 0;) {
        u32 column = highest(columns), bit = shifted_up(1, column);
        columns ^= bit;
        u32 before = 0, own = 0;
        bool survives[STEPS];
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            survives[step] = (taken[step] & bit) == 0;
            before += lanes_before(BALLOT(survives[step]), lane);
            own += survives[step];
        }
        // One lane adds. `unknown_zero` makes the compiler think that each lane has its own
        // address; otherwise it would first make all lanes agree on one. A list that outgrows its
        // slot runs into the next slot, or into the room behind the last; `list_at` notices.
        u32 end = FROM(goals.end, column | unknown_zero());
        u32 place = lane == LANES - 1 ? add(&job.fixed, end, before + own) : 0;
        place = smaller(FROM(place, LANES - 1), launch.scratch_room - DEALT);
        u64* to = goals.half + (place + before);
        u32 diag = shifted_up(bit, goals.diag), anti = shifted_up(bit, goals.anti);
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            // Survivors do not use these lines yet, so the bits can be added. Another pipe does
            // that than the one that is busy with logic.
            u32 diags = (u32)item[step] + diag, antis = (u32)(item[step] >> 32) + anti;
            write_there_if(to, (u64)antis << 32 | diags, survives[step]);
            to += survives[step];
        }
    }
}

// Deals the lists of a level.
DEVICE void deal_lists(const SweepLaunch& launch, const Job& job, u32 level, CohortMemory& memory, u32 lane) {
    SweepFixed& fixed = job.fixed;
    u32 lists = lists_of(launch, level), row = fixed.core.rows[level];
    // Few lists are cut into pieces, so that all warps have something to do.
    u32 wanted = (MOST_PIECES + lists - 1) / lists;
    u32 cuts = smaller(wanted, (fixed.listed_length + DEALT - 1) / DEALT);
    const u32* ends = job.ends + launch.list_places[level + 1];
    u64* half = opaque(half_of(launch, job, level + 1));
    each_chunk<DEALT>(
        fixed, memory, lists * cuts, cuts * DEALT, level == 0, lane,
        [&](u32 number) {
            return piece_at<true>(launch, job, level, number / cuts, number % cuts * DEALT, lane);
        },
        [&](const Piece& piece, const Following<DEALT>& following) {
            await_copies<0>();
            WARP_SYNC;
            u32 left = piece.length - piece.first, own = number_of(&fixed, memory.copied + lane);
            u64 item[DEALT / LANES];
#pragma unroll
            for (u32 step = 0; step < DEALT / LANES; step++) {
                item[step] = copied_or_none(fixed, own, step, left, lane);
            }
            WARP_SYNC;
            following.copy();
            Goals goals = {half, launch.diag_offset - row, launch.anti_offset + row,
                           BALLOT(piece.goal != NONE_16), number_of(&fixed, ends + piece.goal)};
            if (left > 2 * LANES) {
                deal_some<4>(launch, job, goals, item, lane);
            } else if (left > LANES) {
                deal_some<2>(launch, job, goals, item, lane);
            } else {
                deal_some<1>(launch, job, goals, item, lane);
            }
        });
}
