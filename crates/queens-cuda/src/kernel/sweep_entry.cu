// The entries of the sweep on a GPU: one for each number of columns that a core leaves free, and
// one that joins tables. The tests on a CPU call `sweep_jobs` and `join_tables` directly.

extern __shared__ u64 shared_memory[];

#define SWEEP(free)                                                                             \
    extern "C" __global__ void __launch_bounds__(MOST_SWEEP_THREADS) sweep_##free(              \
        const SweepLaunch launch) {                                                             \
        sweep_jobs<free>(launch, shared_memory);                                                \
    }
SWEEP(4)
SWEEP(5)
SWEEP(6)
SWEEP(7)
SWEEP(8)
SWEEP(9)
SWEEP(10)
SWEEP(11)
SWEEP(12)

extern "C" __global__ void join_all(const JoinLaunch launch) {
    join_tables(launch);
}
