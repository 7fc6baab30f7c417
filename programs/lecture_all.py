"""All solutions of n queens, as the last slide of NPTEL week 6 lecture 1 finds them, in Python.

    python3 lecture_all.py 8            the number of solutions
    python3 lecture_all.py -v 8         every solution, then their number

The board is the lecture's nested dictionary. With i and j from 0:

    board['queen'][i] == j       the queen of row i is in column j; -1 if there is none
    board['row'][i] == 1         a queen attacks row i
    board['col'][j] == 1         a queen attacks column j
    board['nwtose'][j - i] == 1  a queen attacks this diagonal, from -(n-1) to n-1
    board['swtone'][j + i] == 1  a queen attacks this diagonal, from 0 to 2(n-1)

Compared with the search for the first solution, placequeen returns nothing, and each queen is
undone whether or not the rows below could be filled. A solution must be copied when it is
recorded: the board changes as the search goes on.
"""

import signal
import sys


def initialize(n):
    """An empty board."""
    return {
        "queen": {i: -1 for i in range(n)},
        "row": {i: 0 for i in range(n)},
        "col": {i: 0 for i in range(n)},
        "nwtose": {i: 0 for i in range(-(n - 1), n)},
        "swtone": {i: 0 for i in range(2 * n - 1)},
    }


def free(i, j, board):
    """Whether no queen attacks the square (i, j)."""
    return (
        board["row"][i] == board["col"][j] == 0
        and board["nwtose"][j - i] == board["swtone"][j + i] == 0
    )


def addqueen(i, j, board):
    """Puts a queen on the free square (i, j)."""
    board["queen"][i] = j
    board["row"][i] = 1
    board["col"][j] = 1
    board["nwtose"][j - i] = 1
    board["swtone"][j + i] = 1


def undoqueen(i, j, board):
    """Takes the queen from the square (i, j)."""
    board["queen"][i] = -1
    board["row"][i] = 0
    board["col"][j] = 0
    board["nwtose"][j - i] = 0
    board["swtone"][j + i] = 0


def placequeen(i, board, solutions):
    """Records every way to fill the rows from i on."""
    n = len(board["queen"])
    for c in range(n):
        if free(i, c, board):
            addqueen(i, c, board)
            if i == n - 1:
                solutions.append(tuple(board["queen"].values()))
            else:
                placequeen(i + 1, board, solutions)
            undoqueen(i, c, board)


def main(args):
    verbose = args[:1] == ["-v"]
    args = args[verbose:]
    if len(args) != 1 or not args[0].isdecimal():
        sys.exit("usage: lecture_all.py [-v] number")
    n = int(args[0])
    # For n = 0 there is no queen to place: the empty board is the solution.
    solutions = [()] if n == 0 else []
    placequeen(0, initialize(n), solutions)
    if verbose:
        for solution in solutions:
            print("(" + ", ".join(str(j + 1) for j in solution) + ")")
    print(f"{n}-Queens has {len(solutions)} solutions")


if __name__ == "__main__":
    # End quietly when the reader, such as head, stops reading. Windows has no such signal.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(sys.argv[1:])
