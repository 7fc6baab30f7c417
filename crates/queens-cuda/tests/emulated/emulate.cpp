// The entry of the kernel on a CPU: runs all blocks of a launch, one after the other. It follows
// the other parts of the kernel.

// Returns 0, or the number of the block that wrote beyond its shared memory, counted from 1.
extern "C" u32 emulate(const Launch* launch, u32 blocks, u32 threads, u32 shared_bytes, int unfolds,
                       int wide) {
    THREADS = threads;
    Block block(shared_bytes);
    u64* memory = block.memory();
    for (BLOCK = 0; BLOCK < blocks; BLOCK++) {
        if (unfolds == 2) {
            wide ? count_jobs<u32, true, true>(*launch, memory)
                 : count_jobs<u16, true, true>(*launch, memory);
        } else if (unfolds == 1) {
            wide ? count_jobs<u32, true, false>(*launch, memory)
                 : count_jobs<u16, true, false>(*launch, memory);
        } else {
            wide ? count_jobs<u32, false, false>(*launch, memory)
                 : count_jobs<u16, false, false>(*launch, memory);
        }
        if (!block.intact()) {
            return BLOCK + 1;
        }
    }
    return 0;
}

// Whether the guards notice one byte that is written at this distance from the beginning of the
// memory.
extern "C" bool guards_see(u32 shared_bytes, long at) {
    Block block(shared_bytes);
    reinterpret_cast<char*>(block.memory())[at] ^= 1;
    return !block.intact();
}
