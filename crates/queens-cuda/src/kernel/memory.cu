// The memory of a block: its part of the batch, its shared memory, and its scratch.
//
// Shared memory is small and fast. A block divides it like this; scanning and unfolding never run
// at the same time, so they use the same space:
//
//     | Fixed | table | tile | square masks | planes, and later pair masks |     scanning
//     | Fixed | table | tile | last rows, shifts, row table | warp 0 | warp 1 | ...   unfolding
//
// The *tile* is the histogram of the stored colour: a row for each even index, and in it a cell
// for each list of the job. Cells have 16 bits, or 32 if a count does not fit. Two more rows follow
// the filled ones: one stays 0, and one takes the counts that nobody gathers.
//
//     even index 0   | list 0 | list 1 | ... | list width - 1 |
//     even index 1   | list 0 | list 1 | ...
//        ...
//     stays 0        |   0    |   0    | ...
//     not gathered   |   ?    |   ?    | ...

// Two words that a lane reads at once, one bit per placement.
struct alignas(8) TwoWords {
    u32 first, second;
};

struct Shared {
    // Of `Fixed`.
    List* lists;
    u64* sums;
    u64* total;
    u32* job;
    u32* next_first;
    u32* next_portion;
    u32* words;
    u32* counts;
    // The tile.
    u32* tile;
    // For scanning. An entry describes one word of scanned placements: the number of its list in
    // the low LIST_BITS bits, and above them the number of the word in that list.
    u16* table;
    u32* square_masks;
    u32* planes;
    u32* pair_masks;
    // For unfolding.
    u64* unfold;
};

// Divides the memory. `batch/shared_memory.rs` calculates the same sizes on the host.
template <class Cell>
DEVICE Shared share_out(const Launch& launch, u64* memory) {
    Shared shared;
    Fixed* fixed = reinterpret_cast<Fixed*>(memory);
    shared.lists = fixed->lists;
    shared.sums = fixed->sums;
    shared.total = &fixed->total;
    shared.job = &fixed->job;
    shared.next_first = &fixed->next_first;
    shared.next_portion = &fixed->next_portion;
    shared.words = &fixed->words;
    shared.counts = fixed->counts;
    shared.table = reinterpret_cast<u16*>(fixed + 1);
    shared.tile = reinterpret_cast<u32*>(shared.table + launch.table_room);
    u32 tile = ((launch.tile_rows + 2) << launch.width_bits) * sizeof(Cell) / 4;
    shared.square_masks = shared.tile + (tile + 3) / 4 * 4;
    shared.planes = shared.pair_masks = shared.square_masks + MASK_WORDS * launch.square_masks;
    shared.unfold = reinterpret_cast<u64*>(shared.square_masks);
    return shared;
}

// The data at a place of the batch.
template <class T>
DEVICE const T* at(const Launch& launch, u32 place) {
    return reinterpret_cast<const T*>(launch.words + place);
}

// The same for long lists, which may be resident on the card.
template <class T>
DEVICE const T* at_list(const Launch& launch, u32 place) {
    const u64* from = place & RESIDENT ? launch.resident : launch.words;
    return reinterpret_cast<const T*>(from + (place & ~RESIDENT));
}

// How many lanes before this one voted yes.
DEVICE u32 lanes_before(u32 votes, u32 lane) {
    return population(votes & ((1u << lane) - 1));
}

// The largest value of one field among some pairs.
DEVICE u32 most_of(const PairEntry* pairs, u32 number, u32 PairEntry::*field) {
    u32 most = 0;
    for (u32 p = 0; p < number; p++) {
        most = most < pairs[p].*field ? pairs[p].*field : most;
    }
    return most;
}

// Adds up the sums of all warps, and clears them.
DEVICE void add_up(const Shared& shared) {
    BARRIER;
    EACH_THREAD {
        if (thread == 0) {
            u64 sum = 0;
            for (u32 warp = 0; warp < THREADS / 32; warp++) {
                sum += shared.sums[warp];
                shared.sums[warp] = 0;
            }
            *shared.total = sum;
        }
    }
    BARRIER;
}
