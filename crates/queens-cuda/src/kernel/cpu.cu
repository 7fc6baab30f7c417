// The machine as a CPU, for tests: the names of `gpu.cu`, defined for a C++ compiler.
//
// Blocks run one after the other. In a block, all threads go through one phase before the next
// phase begins. In EACH_WARP a warp is 32 lanes, each with its own stack, that take turns: a lane
// runs until all must meet, at a ballot or a synchronisation, and then the next lane runs.
//
//     lane 0  ....|        ....|
//     lane 1       ....|        ....|          | a meeting: swap to the next lane
//     lane 2            ....|        ....|
//
// Shared memory lies between two guard zones that hold a pattern. A block that writes outside its
// memory, at either end, changes the pattern, and `Block::intact` notices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <setjmp.h>
#include <ucontext.h>
#include <vector>

#define DEVICE inline
#define EACH_THREAD for (u32 thread = 0; thread < THREADS; thread++)
#define EACH_WARP for (u32 warp = 0; warp < THREADS / LANES; warp++) lanes() = [&]
#define BARRIER
#define LANE (lanes().lane)
#define BALLOT(x) (lanes().ballot(x))
#define FIRST(x) (lanes().first(x))
#define FROM(x, from) (lanes().meet(x)[(from) % LANES])
#define WARP_SYNC (lanes().meet(0))

// The block that is running, and the size of a block.
static thread_local u32 BLOCK, THREADS;

struct Lanes {
    static constexpr size_t STACK = 64 << 10;
    u32 lane = 0;
    // What each lane brought to the last two meetings; lanes are at most one meeting apart.
    u32 brought[2][LANES] = {};
    u32 meetings[LANES] = {};
    bool begun[LANES] = {}, done[LANES] = {};
    // Where the caller and each lane wait. A lane begins with a context of its own. From then on
    // jumps are enough, and they need no system call.
    jmp_buf caller, turn[LANES];
    ucontext_t begin[LANES];
    std::vector<char> stacks = std::vector<char>(LANES * STACK);
    std::function<void()> life;

    // Runs the same function in every lane.
    void operator=(std::function<void()> function) {
        life = function;
        for (u32 l = 0; l < LANES; l++) {
            getcontext(&begin[l]);
            begin[l].uc_stack.ss_sp = stacks.data() + l * STACK;
            begin[l].uc_stack.ss_size = STACK;
            makecontext(&begin[l], live, 0);
            begun[l] = done[l] = false;
            meetings[l] = 0;
        }
        for (lane = 0; lane < LANES; lane++) {
            while (!done[lane]) {
                if (_setjmp(caller) == 0) {
                    go_on();
                }
            }
        }
        lane = 0;
    }

    static void live();

    // Continues the lane whose turn it is.
    [[noreturn]] void go_on() {
        if (!begun[lane]) {
            begun[lane] = true;
            setcontext(&begin[lane]);
        }
        _longjmp(turn[lane], 1);
    }

    // Waits for all lanes and returns what they brought.
    const u32* meet(u32 value) {
        u32 me = lane;
        u32* all = brought[meetings[me]++ % 2];
        all[me] = value;
        if (_setjmp(turn[me]) == 0) {
            lane = (me + 1) % LANES;
            go_on();
        }
        return all;
    }

    u32 ballot(bool yes) {
        const u32* all = meet(yes);
        u32 votes = 0;
        for (u32 l = 0; l < LANES; l++) {
            votes |= all[l] << l;
        }
        return votes;
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
    _longjmp(own.caller, 1);
}

// The shared memory of a block between its guard zones.
struct Block {
    // Words of each zone, and what they hold.
    static constexpr size_t GUARD = 512;
    static constexpr u64 PATTERN = 0xfeedfacecafebeefull;
    u32 bytes;
    std::vector<u64> words;

    // Begins with anything but zeros: a GPU does not clear its memory between blocks either.
    explicit Block(u32 bytes)
        : bytes(bytes), words(2 * GUARD + bytes / 8 + 1, PATTERN) {}

    u64* memory() {
        return words.data() + GUARD;
    }

    // Whether nothing was written outside the memory.
    bool intact() const {
        const unsigned char* all = reinterpret_cast<const unsigned char*>(words.data());
        const unsigned char* pattern = reinterpret_cast<const unsigned char*>(&PATTERN);
        for (size_t at = 0; at < 8 * words.size(); at++) {
            bool inside = at >= 8 * GUARD && at < 8 * GUARD + bytes;
            if (!inside && all[at] != pattern[at % 8]) {
                return false;
            }
        }
        return true;
    }
};

DEVICE u32 unknown_zero() {
    return 0;
}

DEVICE u32 population(u32 x) {
    return __builtin_popcount(x);
}

DEVICE u32 lowest(u32 x) {
    return __builtin_ctz(x);
}

DEVICE u32 highest(u32 x) {
    return 31 - __builtin_clz(x);
}

DEVICE u32 byte_of(u32 word, u32 byte) {
    return word >> (8 * byte) & 0xff;
}

template <u32 BYTE>
DEVICE u32 byte_and(u32 word, u32 low) {
    return (word >> (8 * BYTE) & 0xff) << 8 | low;
}

DEVICE u32 shifted_up(u32 x, u32 by) {
    return x << (by & 31);
}

DEVICE u32 shifted_down(u32 x, u32 by) {
    return x >> (by & 31);
}

DEVICE u32 open_and_free(u32 open, u32 one, u32 other) {
    return open & ~(one | other);
}

DEVICE u32 or_differing(u32 word, u32 one, u32 other) {
    return word | (one ^ other);
}

DEVICE u32 smaller(u32 one, u32 other) {
    return one < other ? one : other;
}

DEVICE u32 opaque(u32 number) {
    return number;
}

template <class T>
DEVICE T* opaque(T* place) {
    return place;
}

DEVICE u32 read_now(const u32* word) {
    return *word;
}

DEVICE u32 take(u32* counter) {
    return (*counter)++;
}

DEVICE void add_to(u32* cell, u32 count) {
    *cell += count;
}

DEVICE void add_nonzero(u32* cell, u32 count) {
    *cell += count;
}

DEVICE u32 number_of(const void* base, const void* place) {
    return (u32)((const char*)place - (const char*)base);
}

template <class T>
DEVICE u32 read(const void* base, u32 place) {
    return *reinterpret_cast<const T*>((const char*)base + place);
}

DEVICE void read_two(const void* base, u32 place, u32& first, u32& second) {
    first = read<u32>(base, place);
    second = read<u32>(base, place + sizeof(u32));
}

DEVICE u32 add(const void* base, u32 place, u32 count) {
    u32* cell = (u32*)((char*)base + place);
    u32 before = *cell;
    *cell += count;
    return before;
}

DEVICE void add_to_64(u64* number, u64 count) {
    *number += count;
}

DEVICE void add_there(u32* word, u32 count) {
    *word += count;
}

DEVICE void write_there_if(u64* place, u64 value, bool wanted) {
    if (wanted) {
        *place = value;
    }
}

DEVICE void read_and_clear_there(u32* words, u32* read) {
    std::copy_n(words, 4, read);
    std::fill_n(words, 4, 0);
}

DEVICE u32 halves(u32 first, u32 second) {
    return (first & 0xffff) | second << 16;
}

DEVICE void read_if(const void* base, bool wanted, u32 place, u32& first, u32& second) {
    if (wanted) {
        const u32* from = reinterpret_cast<const u32*>((const char*)base + place);
        first = from[0];
        second = from[1];
    }
}

DEVICE void copy_ahead(void* base, u32 place, const u64* from) {
    *reinterpret_cast<u64*>((char*)base + place) = *from;
}

DEVICE void copy_two_ahead_if(void* base, bool wanted, u32 place, const u64* from) {
    if (wanted) {
        std::copy_n(from, 2, reinterpret_cast<u64*>((char*)base + place));
    }
}

DEVICE void end_copies() {}

template <u32 LEFT>
DEVICE void await_copies() {}

DEVICE void write_if(void* base, bool wanted, u32 place, u32 first, u32 second) {
    if (wanted) {
        u32* to = reinterpret_cast<u32*>((char*)base + place);
        to[0] = first;
        to[1] = second;
    }
}

DEVICE void add_warp(u64* sum, u64 value, u32 lane) {
    (void)lane;
    *sum += value;
}

DEVICE void add_warp_to_64(u64* number, u64 value, u32) {
    *number += value;
}

#define OF_LANE(own, calculated) ((void)(own), (calculated))

template <class Is>
DEVICE u32 ballot(u32 lane, Is is) {
    (void)lane;
    u32 word = 0;
    for (u32 k = 0; k < LANES; k++) {
        word |= (u32)is(k) << k;
    }
    return word;
}

template <class WordOf>
DEVICE u32 transposed(u32 lane, WordOf word_of) {
    u32 word = 0;
    for (u32 k = 0; k < LANES; k++) {
        word |= (word_of(k) >> lane & 1) << k;
    }
    return word;
}

DEVICE Turning turning(u32) {
    return {};
}

// Transposes `COUNT` words of each lane. Bits of `SPAN` neighbouring lanes end up side by side.
template <u32 COUNT, u32 SPAN>
DEVICE void turn_words(u32* words) {
    u32 all[COUNT][LANES], lane = LANE;
    for (u32 k = 0; k < COUNT; k++) {
        std::copy_n(lanes().meet(words[k]), LANES, all[k]);
    }
    for (u32 k = 0; k < COUNT; k++) {
        words[k] = 0;
        for (u32 bit = 0; bit < LANES; bit++) {
            u32 from = all[bit / SPAN][lane / SPAN * SPAN + bit % SPAN];
            words[k] |= (from >> (SPAN * k + lane % SPAN) & 1) << bit;
        }
    }
}

DEVICE void turn_four(u32* words, const Turning&) {
    turn_words<4, 8>(words);
}

DEVICE void turn_two(u32* words, const Turning&) {
    turn_words<2, 16>(words);
}

DEVICE u32 turned_cells(u32 both) {
    const u32* all = lanes().meet(both);
    u32 g = LANE / 4, t = LANE % 4;
    auto cell = [&](u32 row, u32 column) { return all[4 * row + column / 2] >> (column % 2 * 16); };
    return halves(cell(2 * t, g), cell(2 * t + 1, g));
}

DEVICE void multiply_bits(u32* sums, u32 low0, u32 low8, u32 high0, u32 high8, u32 low, u32 high) {
    u32 own[] = {low0, low8, high0, high8, low, high}, all[6][LANES];
    u32 lane = LANE, row = lane / 4;
    for (u32 k = 0; k < 6; k++) {
        std::copy_n(lanes().meet(own[k]), LANES, all[k]);
    }
    for (u32 k = 0; k < 4; k++) {
        u32 eight = k / 2, column = lane % 4 * 2 + k % 2;
        sums[k] = 0;
        for (u32 t = 0; t < 4; t++) {
            u32 a = 4 * row + t, b = 4 * column + t;
            sums[k] += population(all[eight][a] & all[4][b])
                       + population(all[2 + eight][a] & all[5][b]);
        }
    }
}
