// Runs the text of kernel.cu on the CPU: one block after the other, and in every block all
// threads through one phase before the next phase begins. Built and loaded by card.rs.

// A warp that runs by itself is 32 lanes that take turns: each runs until all must meet, at a
// ballot or a synchronisation, and then it is the next one's turn.

#include <cstdint>
#include <functional>
#include <ucontext.h>
#include <vector>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
#define DEVICE inline
#define EACH_THREAD for (u32 thread = 0; thread < THREADS; thread++)
#define BARRIER
#define LANES 32u
#define LANE (lanes().lane)
#define BALLOT(x) (lanes().ballot(x))
#define FIRST(x) (lanes().first(x))
#define WARP_SYNC (lanes().meet(0))
#define EACH_WARP for (u32 warp = 0; warp < THREADS / 32; warp++) lanes() = [&]

// The block that is running, and the size of a block.
static thread_local u32 BLOCK, THREADS;

struct Lanes {
    u32 lane = 0;
    // What each lane brought to the last meetings; lanes are at most one meeting apart.
    u32 brought[2][32] = {};
    u32 meetings[32] = {};
    bool done[32] = {};
    ucontext_t caller, turn[32];
    std::vector<char> stacks = std::vector<char>(32 * STACK);
    std::function<void()> life;
    static constexpr size_t STACK = 64 << 10;

    // Every lane lives through the same function.
    void operator=(std::function<void()> function) {
        life = function;
        for (u32 l = 0; l < 32; l++) {
            getcontext(&turn[l]);
            turn[l].uc_stack.ss_sp = stacks.data() + l * STACK;
            turn[l].uc_stack.ss_size = STACK;
            turn[l].uc_link = &caller;
            makecontext(&turn[l], live, 0);
            done[l] = false;
            meetings[l] = 0;
        }
        for (lane = 0; lane < 32; lane++) {
            while (!done[lane]) {
                swapcontext(&caller, &turn[lane]);
            }
        }
        lane = 0;
    }

    static void live();

    // Waits for all lanes and returns what they brought.
    const u32* meet(u32 value) {
        u32 me = lane;
        u32* all = brought[meetings[me]++ % 2];
        all[me] = value;
        lane = (me + 1) % 32;
        swapcontext(&turn[me], &turn[lane]);
        return all;
    }

    u32 ballot(bool yes) {
        const u32* all = meet(yes);
        u32 mask = 0;
        for (u32 l = 0; l < 32; l++) {
            mask |= all[l] << l;
        }
        return mask;
    }

    u32 first(u32 value) {
        return meet(value)[0];
    }
};

static Lanes& lanes() {
    static thread_local Lanes lanes;
    return lanes;
}

void Lanes::live() {
    Lanes& own = lanes();
    own.life();
    own.done[own.lane] = true;
}

#include "kernel.cu"

extern "C" void emulate(const Batch* batch, u32 blocks, u32 threads, u32 shared_bytes, int unfolds,
                        int wide) {
    THREADS = threads;
    std::vector<u64> memory(shared_bytes / 8 + 1);
    for (BLOCK = 0; BLOCK < blocks; BLOCK++) {
        if (unfolds == 2) {
            wide ? count_jobs<u32, true, true>(*batch, memory.data())
                 : count_jobs<u16, true, true>(*batch, memory.data());
        } else if (unfolds == 1) {
            wide ? count_jobs<u32, true, false>(*batch, memory.data())
                 : count_jobs<u16, true, false>(*batch, memory.data());
        } else {
            wide ? count_jobs<u32, false, false>(*batch, memory.data())
                 : count_jobs<u16, false, false>(*batch, memory.data());
        }
    }
}
