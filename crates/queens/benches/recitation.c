/* The program of the recitation on bit vectors, to measure the engine `bitmask` against.
 *
 * queens() is the function of the recitation's last page with its names and types: down,
 * left and right are the columns and diagonals that enter the row, possible the squares
 * that are free, place the lowest of them. main() makes the root call for the n given on
 * the command line, and prints the count and the seconds it took.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int32_t queens(uint32_t mask, uint32_t down, uint32_t left, uint32_t right) {
    int32_t possible, place;
    int32_t count = 0;
    if (down == mask) return 1;
    for (possible = ~(down | left | right) & mask; possible != 0; possible &= ~place) {
        place = possible & -possible;
        count += queens(mask, down | place, ((left | place) << 1) & mask, (right | place) >> 1);
    }
    return count;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 17) {
        fprintf(stderr, "usage: recitation N, with N from 1 to 17\n");
        return 2;
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int32_t count = queens((1u << n) - 1, 0, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    printf("%d %.9f\n", count, seconds);
    return 0;
}
