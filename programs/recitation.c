/*
 * The n-queens function of the MIT 6.172-style recitation on bit vectors, as a program in C.
 *
 *     cc -O2 -o recitation recitation.c
 *     ./recitation 8          the number of solutions
 *     ./recitation -v 8       every solution, then their number
 *
 * Bit c of a vector stands for column c; column 0 is the lowest bit. down holds the columns that
 * are taken. left and right hold the squares of the current row that the diagonals of the queens
 * above cross.
 *
 * Three things in queens() and its root call differ from the slide. The count has 64 bits, because
 * 32 bits overflow from n = 19 on. The mask is made from 1u, because 1 << 31 overflows an int. And
 * the root call has one bracket fewer: the slide closes one that was never opened. list(), for -v,
 * and main(), for the command line, are additions.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_N 31

/* The number of ways to fill the rows that are still empty. */
int64_t queens(uint32_t mask, uint32_t down, uint32_t left, uint32_t right) {
    int32_t possible, place;
    int64_t count = 0;
    if (down == mask) return 1;
    for (possible = ~(down | left | right) & mask;
         possible != 0;
         possible &= ~place) {
        place = possible & -possible; /* the lowest free column */
        count += queens(mask,
                        down | place,
                        ((left | place) << 1) & mask,
                        (right | place) >> 1);
    }
    return count;
}

/* The same search, but it also notes the place chosen in each row and prints the solutions. */
int64_t list(uint32_t mask, uint32_t down, uint32_t left, uint32_t right,
             int32_t *places, int row) {
    int32_t possible, place;
    int64_t count = 0;
    if (down == mask) {
        printf("(");
        for (int i = 0; i < row; i++) {
            int column = 1;
            for (place = places[i]; place > 1; place >>= 1) column++;
            printf("%s%d", i > 0 ? ", " : "", column);
        }
        printf(")\n");
        return 1;
    }
    for (possible = ~(down | left | right) & mask;
         possible != 0;
         possible &= ~place) {
        place = possible & -possible;
        places[row] = place;
        count += list(mask,
                      down | place,
                      ((left | place) << 1) & mask,
                      (right | place) >> 1,
                      places, row + 1);
    }
    return count;
}

int main(int argc, char **argv) {
    int verbose = argc == 3 && strcmp(argv[1], "-v") == 0;
    if (argc != 2 + verbose) {
        fprintf(stderr, "usage: recitation [-v] number\n");
        return 2;
    }
    char *end;
    long n = strtol(argv[argc - 1], &end, 10);
    if (end == argv[argc - 1] || *end != '\0' || n < 0 || n > LARGEST_N) {
        fprintf(stderr, "recitation: the number must be from 0 to %d\n", LARGEST_N);
        return 2;
    }
    uint32_t mask = (1u << n) - 1;
    int32_t places[LARGEST_N];
    int64_t count = verbose ? list(mask, 0, 0, 0, places, 0) : queens(mask, 0, 0, 0);
    printf("%ld-Queens has %" PRId64 " solutions\n", n, count);
    return 0;
}
