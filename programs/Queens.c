/*
 * Queens.c: the program that CSE 15 programming assignment 2 asks for.
 *
 *     make                    with the Makefile printed by `queens code makefile`
 *     ./Queens 8              the number of solutions
 *     ./Queens -v 8           every solution, then their number
 *
 * B is an array of n + 1 rows and n + 1 columns, so that its indices are the row and column numbers
 * of the board, which count from 1. Row 0 is unused; column 0 holds the solution.
 *
 *     B[i][j] =  1   a queen is on square (i, j)
 *                0   the square is empty, and no queen above attacks it
 *               -k   k queens above attack it
 *     B[i][0] =  j   the queen of row i is in column j; 0 if there is none
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void printUsage(void);
int **allocateBoard(int n);
void freeBoard(int **B, int n);
void changeBelow(int **B, int n, int i, int j, int by);
void placeQueen(int **B, int n, int i, int j);
void removeQueen(int **B, int n, int i, int j);
void printBoard(int **B, int n);
int findSolutions(int **B, int n, int i, char *mode);

/* Prints the usage message to stderr and quits. */
void printUsage(void) {
    fprintf(stderr, "Usage: Queens [-v] number\n");
    fprintf(stderr, "Option: -v  verbose output, print all solutions\n");
    exit(EXIT_FAILURE);
}

/* A board of n + 1 rows and n + 1 columns, all zeros. */
int **allocateBoard(int n) {
    int **B = calloc(n + 1, sizeof(int *));
    for (int i = 0; B != NULL && i <= n; i++) {
        B[i] = calloc(n + 1, sizeof(int));
        if (B[i] == NULL) {
            freeBoard(B, n);
            B = NULL;
        }
    }
    if (B == NULL) {
        fprintf(stderr, "Queens: there is no memory for this board\n");
        exit(EXIT_FAILURE);
    }
    return B;
}

/* Frees what allocateBoard has allocated. */
void freeBoard(int **B, int n) {
    for (int i = 0; i <= n; i++) free(B[i]);
    free(B);
}

/* Adds by to every square that a queen on (i, j) attacks in the rows below. */
void changeBelow(int **B, int n, int i, int j, int by) {
    for (int k = i + 1; k <= n; k++) {
        int d = k - i;
        B[k][j] += by;
        if (j - d >= 1) B[k][j - d] += by;
        if (j + d <= n) B[k][j + d] += by;
    }
}

/* Puts a queen on square (i, j) and notes which squares below she attacks. */
void placeQueen(int **B, int n, int i, int j) {
    B[i][j]++;
    B[i][0] = j;
    changeBelow(B, n, i, j, -1);
}

/* Undoes everything that placeQueen did. */
void removeQueen(int **B, int n, int i, int j) {
    B[i][j]--;
    B[i][0] = 0;
    changeBelow(B, n, i, j, 1);
}

/* Prints the solution (B[1][0], B[2][0], ..., B[n][0]). */
void printBoard(int **B, int n) {
    printf("(");
    for (int i = 1; i <= n; i++) printf("%s%d", i > 1 ? ", " : "", B[i][0]);
    printf(")\n");
}

/*
 * Returns the number of solutions that have the queens now on rows 1 to i - 1, and prints them
 * if mode is "verbose".
 */
int findSolutions(int **B, int n, int i, char *mode) {
    if (i > n) {
        if (strcmp(mode, "verbose") == 0) printBoard(B, n);
        return 1;
    }
    int sum = 0;
    for (int j = 1; j <= n; j++) {
        if (B[i][j] == 0) {
            placeQueen(B, n, i, j);
            sum += findSolutions(B, n, i + 1, mode);
            removeQueen(B, n, i, j);
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    int verbose = argc == 3 && strcmp(argv[1], "-v") == 0;
    if (argc != 2 + verbose) printUsage();
    char *number = argv[argc - 1];
    if (*number == '\0' || strspn(number, "0123456789") != strlen(number)) printUsage();
    long n = strtol(number, NULL, 10);
    if (n > SHRT_MAX) {
        fprintf(stderr, "Queens: the number is too large\n");
        return EXIT_FAILURE;
    }

    int **B = allocateBoard(n);
    int solutions = findSolutions(B, n, 1, verbose ? "verbose" : "");
    printf("%ld-Queens has %d solutions\n", n, solutions);
    freeBoard(B, n);
    return EXIT_SUCCESS;
}
