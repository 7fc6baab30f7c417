// Joining: the sum of white times black for one even row set and every odd one.
//
// White's tables W[e][r][o] exist for some even indices e, black's tables B[o][r][e] for all odd
// indices o. A warp takes one row set r and 32 even indices, one per lane, and goes through the odd
// indices. The 32 lanes read neighbouring cells of black, and each lane reads eight of its own
// cells of white at once:
//
//     black, odd index o    | e | e + 1 | e + 2 | ...          one read of 64 bytes
//     white, even index e   | o | o + 1 | ... | o + 7 |        one read of a lane

// Eight cells side by side.
struct alignas(16) EightCells {
    u16 cell[CELL_MULTIPLE];
};

// The sum of the products of some odd indices.
DEVICE u64 join_range(const u16* white, const u16* black, u64 black_step, u32 begin, u32 end) {
    u64 sum = 0;
    for (u32 first = begin / CELL_MULTIPLE * CELL_MULTIPLE; first < end; first += CELL_MULTIPLE) {
        EightCells eight = *reinterpret_cast<const EightCells*>(white + first);
#pragma unroll
        for (u32 k = 0; k < CELL_MULTIPLE; k++) {
            u32 odd = first + k;
            if (begin <= odd && odd < end) {
                sum += (u64)((u32)eight.cell[k] * black[odd * black_step]);
            }
        }
    }
    return sum;
}

// Joins the tables. Each row set has its own block, whose warps share the odd indices.
DEVICE void join_tables(const JoinLaunch& launch) {
    u32 row_set = BLOCK;
    EACH_THREAD {
        u32 even = launch.first_even + thread % LANES, warp = thread / LANES, warps = THREADS / LANES;
        if (even < launch.even_end) {
            const u16* white = launch.white + (even - launch.first_even) * launch.white_step
                               + (u64)row_set * launch.white_row;
            const u16* black = launch.black + (u64)row_set * launch.black_row + even;
            u32 limit = launch.odd_limits[2 * row_set], doubled = launch.odd_limits[2 * row_set + 1];
            u32 share = (limit + warps - 1) / warps, begin = warp * share;
            u32 end = smaller(begin + share, limit), middle = smaller(end, doubled);
            u64 sum = 0;
            if (begin < middle) {
                sum += launch.weights[2 * even]
                       * join_range(white, black, launch.black_step, begin, middle);
            }
            begin = begin > middle ? begin : middle;
            if (begin < end) {
                sum += launch.weights[2 * even + 1]
                       * join_range(white, black, launch.black_step, begin, end);
            }
            add_to_64(&launch.sums[row_set], sum);
        }
    }
}
