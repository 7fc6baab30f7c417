// Runs the text of kernel.cu on the CPU: one block after the other, and in every block all
// threads through one phase before the next phase begins. Built and loaded by card.rs.

#include <cstdint>
#include <vector>

typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
#define DEVICE static inline
#define EACH_THREAD for (u32 thread = 0; thread < THREADS; thread++)
#define BARRIER
#define ANY_LANE(x) (x)

// The block that is running, the size of the grid, and the size of a block.
static thread_local u32 BLOCK, BLOCKS, THREADS;

#include "kernel.cu"

// Kind 0 stores with the tile outside shared memory, 1 inside, 2 gathers.
template <class Cell>
static void run(const Batch& batch, u64* memory, int kind) {
    if (kind == 2) {
        gather_jobs<Cell>(batch, memory);
    } else if (kind == 1) {
        store_jobs<true, Cell>(batch, memory);
    } else {
        store_jobs<false, Cell>(batch, memory);
    }
}

extern "C" void emulate(const Batch* batch, u32 blocks, u32 threads, u32 shared_bytes, int kind,
                        int wide) {
    BLOCKS = blocks;
    THREADS = threads;
    std::vector<u64> memory(shared_bytes / 8 + 1);
    for (BLOCK = 0; BLOCK < blocks; BLOCK++) {
        if (wide) {
            run<u32>(*batch, memory.data(), kind);
        } else {
            run<u16>(*batch, memory.data(), kind);
        }
    }
}
