// The entries of the sweep on a CPU. They follow the other parts of the kernel.

// Calls `sweep_jobs` for the number of free columns.
template <u32 FREE>
static void sweep_with(u32 free, const SweepLaunch& launch, u64* memory) {
    if constexpr (FREE <= MOST_FREE) {
        free == FREE ? sweep_jobs<FREE>(launch, memory)
                     : sweep_with<FREE + 1>(free, launch, memory);
    }
}

// Returns 0, or the number of the block that wrote beyond its shared memory, counted from 1.
extern "C" u32 sweep(u32 free, const SweepLaunch* launch, u32 blocks, u32 threads, u32 shared_bytes) {
    THREADS = threads;
    Block block(shared_bytes);
    for (BLOCK = 0; BLOCK < blocks; BLOCK++) {
        sweep_with<FEWEST_FREE>(free, *launch, block.memory());
        if (!block.intact()) {
            return BLOCK + 1;
        }
    }
    return 0;
}

extern "C" void join(const JoinLaunch* launch, u32 row_sets, u32 threads) {
    THREADS = threads;
    for (BLOCK = 0; BLOCK < row_sets; BLOCK++) {
        join_tables(*launch);
    }
}
