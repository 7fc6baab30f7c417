// The machine as a GPU: how a block goes through its phases, and single instructions that the
// compiler would not find by itself. `cpu.cu` defines the same names for a CPU, and the tests run
// the rest of the kernel on that.
//
// The other files are written for both. EACH_THREAD { ... } is one phase. On a GPU each thread runs
// its body once; on a CPU a loop runs it for all threads of the block. So threads may talk only
// through memory, and only across a BARRIER. In EACH_WARP { ... }; the 32 lanes of one warp may
// also talk by BALLOT, FIRST and FROM:
//
//     lane      0  1  2  3  4 ...          BALLOT(yes) = 0b...10011 for every lane
//     yes       1  1  0  0  1 ...          FIRST(x)    = what lane 0 has, for every lane
//                                          FROM(x, k)  = what lane k has
//
// A lane reads what another wrote only after WARP_SYNC, or after a BALLOT, which no lane passes
// before all have come. A warp reads and writes shared memory in program order, and the compiler
// moves no read or write across the asm blocks here that say "memory".

#define DEVICE __device__ __forceinline__
#define EACH_THREAD for (u32 thread = threadIdx.x, once = 1; once; once = 0)
#define EACH_WARP for (u32 warp = threadIdx.x / 32, once = 1; once; once = 0)
#define BARRIER __syncthreads()
#define THREADS blockDim.x
#define BLOCK blockIdx.x
#define LANE (threadIdx.x % 32)
#define BALLOT(x) __ballot_sync(~0u, (x))
#define FIRST(x) __shfl_sync(~0u, (x), 0)
#define FROM(x, from) __shfl_sync(~0u, (x), (from))
#define WARP_SYNC __syncwarp()

// 0, but the compiler does not know. It assumes that whatever depends on it differs between lanes.
DEVICE u32 unknown_zero() {
    return threadIdx.x >> 16;
}

// How many bits are set.
DEVICE u32 population(u32 x) {
    return __popc(x);
}

// The number of the lowest bit of x, which is not 0.
DEVICE u32 lowest(u32 x) {
    return __clz(__brev(x));
}

// The number of the highest bit of x, which is not 0.
DEVICE u32 highest(u32 x) {
    return 31 - __clz(x);
}

// One byte of a word.
DEVICE u32 byte_of(u32 word, u32 byte) {
    return __byte_perm(word, 0, 0x4440 | byte);
}

// A byte of a word times 256, plus a number below 256, in one instruction.
template <u32 BYTE>
DEVICE u32 byte_and(u32 word, u32 low) {
    return __byte_perm(word, low, 0x5504 | BYTE << 4);
}

// Shifts by the lowest five bits of `by`.
DEVICE u32 shifted_up(u32 x, u32 by) {
    return __funnelshift_l(0, x, by);
}

DEVICE u32 shifted_down(u32 x, u32 by) {
    return __funnelshift_r(x, 0, by);
}

// The bits of one word that are in neither of two others, in one instruction. (The compiler would
// use two, and would then split other operations that fit one. In the steps of unfolding this
// function makes NVRTC 13.0 crash, so they use `free_squares`.)
DEVICE u32 open_and_free(u32 open, u32 one, u32 other) {
    u32 result;
    asm volatile("lop3.b32 %0, %1, %2, %3, 0x10;" : "=r"(result) : "r"(open), "r"(one), "r"(other));
    return result;
}

// A word and the bits in which two others differ, in one instruction.
DEVICE u32 or_differing(u32 word, u32 one, u32 other) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, 0xf6;" : "=r"(result) : "r"(word), "r"(one), "r"(other));
    return result;
}

// The smaller of two numbers. (The compiler alone would split a comparison of it with 0.)
DEVICE u32 smaller(u32 one, u32 other) {
    asm("min.u32 %0, %0, %1;" : "+r"(one) : "r"(other));
    return one;
}

// The same number, but the compiler keeps it instead of calculating it again wherever it is used.
DEVICE u32 opaque(u32 number) {
    asm volatile("" : "+r"(number));
    return number;
}

// The same for an address.
template <class T>
DEVICE T* opaque(T* place) {
    asm volatile("" : "+l"(place));
    return place;
}

// A word that other blocks may have written.
DEVICE u32 read_now(const u32* word) {
    return __ldcg(word);
}

// Takes the next number from a counter.
DEVICE u32 take(u32* counter) {
    return atomicAdd(counter, 1);
}

// Adds to a cell.
DEVICE void add_to(u32* cell, u32 count) {
    atomicAdd(cell, count);
}

// Adds unless there is nothing to add, without a branch.
DEVICE void add_nonzero(u32* cell, u32 count) {
    asm volatile("{ .reg .pred any; setp.ne.u32 any, %1, 0;"
                 "  @any red.shared.add.u32 [%0], %1; }" ::"r"((u32)__cvta_generic_to_shared(cell)),
                 "r"(count)
                 : "memory");
}

// The number of a place in shared memory, for places that are calculated: it has 32 bits, and takes
// one instruction less than a pointer. A CPU counts from `base`.
DEVICE u32 number_of(const void* base, const void* place) {
    (void)base;
    return (u32)__cvta_generic_to_shared(place);
}

// Reads a number of type T.
template <class T>
DEVICE u32 read(const void* base, u32 place) {
    (void)base;
    u32 value;
    if (sizeof(T) == 2) {
        asm volatile("{ .reg .u16 half; ld.shared.u16 half, [%1]; cvt.u32.u16 %0, half; }"
                     : "=r"(value) : "r"(place) : "memory");
    } else {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
    }
    return value;
}

// Reads two numbers of 32 bits.
DEVICE void read_two(const void* base, u32 place, u32& first, u32& second) {
    (void)base;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(first), "=r"(second) : "r"(place) : "memory");
}

// Adds to a number and returns its value before.
DEVICE u32 add(const void* base, u32 place, u32 count) {
    u32 before;
    (void)base;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(place), "r"(count)
                 : "memory");
    return before;
}

// Adds to a number of 64 bits.
DEVICE void add_to_64(u64* number, u64 count) {
    atomicAdd(number, count);
}

// Adds to a word of the card's memory, and does not wait for it.
DEVICE void add_there(u32* word, u32 count) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(count) : "memory");
}

// Writes 64 bits of the card's memory if `wanted`, without a branch.
DEVICE void write_there_if(u64* place, u64 value, bool wanted) {
    asm volatile("{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
                 "  @wanted st.global.u64 [%0], %1; }" ::"l"(place), "l"(value), "r"((u32)wanted)
                 : "memory");
}

// Reads and clears four words that `add_there` added to: in the memory that all blocks share, not
// in the cache of one of them.
DEVICE void read_and_clear_there(u32* words, u32* read) {
    uint4* place = reinterpret_cast<uint4*>(words);
    uint4 four = __ldcg(place);
    __stcg(place, make_uint4(0, 0, 0, 0));
    read[0] = four.x, read[1] = four.y, read[2] = four.z, read[3] = four.w;
}

// Two numbers of 16 bits in one word, the first one in the low half.
DEVICE u32 halves(u32 first, u32 second) {
    return __byte_perm(first, second, 0x5410);
}

// Reads two numbers if `wanted`, without a branch.
DEVICE void read_if(const void* base, bool wanted, u32 place, u32& first, u32& second) {
    (void)base;
    asm volatile("{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
                 "  @wanted ld.shared.v2.u32 {%0, %1}, [%3]; }"
                 : "+r"(first), "+r"(second)
                 : "r"((u32)wanted), "r"(place)
                 : "memory");
}

// Starts copying 64 bits of the card's memory to shared memory; `await_copies` waits for the end.
DEVICE void copy_ahead(const void* base, u32 place, const u64* from) {
    (void)base;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(from) : "memory");
}

// The same, if `wanted`, for 128 bits at a multiple of 16 bytes that are not needed a second time.
DEVICE void copy_two_ahead_if(const void* base, bool wanted, u32 place, const u64* from) {
    (void)base;
    asm volatile("{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
                 "  @wanted cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(place), "l"(from),
                 "r"((u32)wanted)
                 : "memory");
}

// Ends a group of copies: everything that the lane started to copy since the last group.
DEVICE void end_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of the lane but the last `LEFT`. Other lanes may read the copies after a
// WARP_SYNC.
template <u32 LEFT>
DEVICE void await_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// Writes two numbers if `wanted`, without a branch.
DEVICE void write_if(void* base, bool wanted, u32 place, u32 first, u32 second) {
    (void)base;
    asm volatile("{ .reg .pred wanted; setp.ne.u32 wanted, %0, 0;"
                 "  @wanted st.shared.v2.u32 [%1], {%2, %3}; }" ::"r"((u32)wanted), "r"(place),
                 "r"(first), "r"(second)
                 : "memory");
}

// The sum of the values of all lanes of a warp.
DEVICE u64 warp_sum(u64 value) {
    for (u32 step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(~0u, value, step);
    }
    return value;
}

// Adds the values of all lanes of a warp to the warp's sum.
DEVICE void add_warp(u64* sum, u64 value, u32 lane) {
    value = warp_sum(value);
    if (lane == 0) {
        *sum += value;
    }
}

// Adds the values of all lanes of a warp to a number that other warps add to, too.
DEVICE void add_warp_to_64(u64* number, u64 value, u32 lane) {
    value = warp_sum(value);
    if (lane == 0) {
        atomicAdd(number, value);
    }
}

// The value of a lane, in the functions that `ballot` and `transposed` call. On a GPU each lane
// gives only its own; a CPU calculates that of any lane.
#define OF_LANE(own, calculated) (own)

// The word whose bit k is `is(k)`, for the 32 lanes k of the warp; `lane` is the caller's. For
// phases of EACH_THREAD.
template <class Is>
DEVICE u32 ballot(u32 lane, Is is) {
    return __ballot_sync(~0u, is(lane));
}

// The word whose bit k is bit `lane` of `word_of(k)`, for the 32 lanes k of the warp: together the
// lanes transpose 32 words of 32 bits.
//
//     lane 0  abcd          aeim
//     lane 1  efgh   gives  bfjn
//     lane 2  ijkl          cgko
//     lane 3  mnop          dhlp
template <class WordOf>
DEVICE u32 transposed(u32 lane, WordOf word_of) {
    u32 word = word_of(lane), mask = 0x0000ffff;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // Lanes that differ in this bit exchange halves of `step` bits.
        u32 other = __shfl_xor_sync(~0u, word, step);
        word = lane & step ? (word & ~mask) | (other >> step & mask)
                           : (word & mask) | (other << step & ~mask);
        mask ^= mask << (step / 2);
    }
    return word;
}

// How a lane takes part in turning words, which means transposing their bits.
DEVICE Turning turning(u32 lane) {
    return {lane & 8 ? 0x3715u : 0x6240u, 0,
            lane & 4 ? 28u : 4u, lane & 4 ? 0xf0f0f0f0u : 0x0f0f0f0fu,
            lane & 2 ? 30u : 2u, lane & 2 ? 0xccccccccu : 0x33333333u,
            lane & 1 ? 31u : 1u, lane & 1 ? 0xaaaaaaaau : 0x55555555u};
}

// Transposes the bytes of eight lanes' words: bit k of a byte becomes bit `lane % 8` of the same
// byte in lane k of the eight.
DEVICE u32 turned_bytes(u32 word, const Turning& turning) {
    auto exchange = [&](u32 step, u32 by, u32 keep) {
        u32 other = __shfl_xor_sync(~0u, word, step);
        word = (word & keep) | (__funnelshift_l(other, other, by) & ~keep);
    };
    exchange(4, turning.by4, turning.keep4);
    exchange(2, turning.by2, turning.keep2);
    exchange(1, turning.by1, turning.keep1);
    return word;
}

// Transposes 128 numbers of 32 bits to 32 planes of 128 bits. A lane brings numbers `lane`,
// 32 + `lane`, 64 + `lane` and 96 + `lane`. It gets, for k from 0 to 3, word `lane / 8` of plane
// 8 k + `lane % 8`. All planes have their bits in the same order; which one does not matter.
DEVICE void turn_four(u32* words, const Turning& turning) {
    u32 even0 = __byte_perm(words[0], words[1], 0x5140), odd0 = __byte_perm(words[0], words[1], 0x7362);
    u32 even1 = __byte_perm(words[2], words[3], 0x5140), odd1 = __byte_perm(words[2], words[3], 0x7362);
    words[0] = turned_bytes(__byte_perm(even0, even1, 0x5410), turning);
    words[1] = turned_bytes(__byte_perm(even0, even1, 0x7632), turning);
    words[2] = turned_bytes(__byte_perm(odd0, odd1, 0x5410), turning);
    words[3] = turned_bytes(__byte_perm(odd0, odd1, 0x7632), turning);
}

// Transposes 64 numbers to 32 planes of 64 bits. A lane brings numbers `lane` and 32 + `lane`. It
// gets word `lane / 16` of planes `lane % 16` and 16 + `lane % 16`.
DEVICE void turn_two(u32* words, const Turning& turning) {
    auto turn = [&](u32 word) {
        word = __byte_perm(word, __shfl_xor_sync(~0u, word, 8), turning.bytes);
        return turned_bytes(word, turning);
    };
    u32 low = __byte_perm(words[0], words[1], 0x5410), high = __byte_perm(words[0], words[1], 0x7632);
    words[0] = turn(low);
    words[1] = turn(high);
}

// Transposes a matrix of 8 by 8 numbers of 16 bits. Lane 4 g + t has columns 2 t and 2 t + 1 of row
// g.
DEVICE u32 turned_cells(u32 both) {
    u32 result;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(both));
    return result;
}

// A product of bit matrices: for each row of a matrix of 16 rows and each row of a matrix of 8
// rows, how many bits they have in common. Both have rows of 256 bits, spread over the lanes:
//
//     lane 4 g + t has, of row g      bits 32 t .. 32 t + 31 and 128 + 32 t .. 128 + 32 t + 31
//
// The lane has the bits of the first matrix in `low0` and `high0`, those of row g + 8 of the first
// matrix in `low8` and `high8`, and those of the second matrix in `low` and `high`. The caller may
// number the bits in any way, as long as all lanes with the same t agree. `sums` gets row g,
// columns 2 t and 2 t + 1, and then the same columns of row g + 8. Needs a card of compute
// capability 8.0 or later.
DEVICE void multiply_bits(u32* sums, u32 low0, u32 low8, u32 high0, u32 high8, u32 low, u32 high) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
                 : "r"(low0), "r"(low8), "r"(high0), "r"(high8), "r"(low), "r"(high), "r"(0));
}
