// The entries of the kernel on a GPU, one for each way to count. A name says how the gathering
// colour counts, whether n is odd, and how many bits a cell has. `cpu.cu` has no entries; the tests
// call `count_jobs` directly.

extern __shared__ u64 shared_memory[];

#define ENTRY(name, cell, unfolds, reverses)                                               \
    extern "C" __global__ void __launch_bounds__(MOST_THREADS) name(const Launch launch) { \
        count_jobs<cell, unfolds, reverses>(launch, shared_memory);                        \
    }
ENTRY(scan_16, u16, false, false)
ENTRY(scan_32, u32, false, false)
ENTRY(unfold_16, u16, true, false)
ENTRY(unfold_32, u32, true, false)
ENTRY(unfold_odd_16, u16, true, true)
ENTRY(unfold_odd_32, u32, true, true)
