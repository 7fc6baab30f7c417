"""The first solution of n queens, as NPTEL week 6 lecture 1 finds it, in Python.

    python3 lecture_first.py 8          the first solution
    python3 lecture_first.py -v 8       every queen placed and undone on the way to it

The board is the lecture's nested dictionary. With i and j from 0:

    board['queen'][i] == j       the queen of row i is in column j; -1 if there is none
    board['row'][i] == 1         a queen attacks row i
    board['col'][j] == 1         a queen attacks column j
    board['nwtose'][j - i] == 1  a queen attacks this diagonal, from -(n-1) to n-1
    board['swtone'][j + i] == 1  a queen attacks this diagonal, from 0 to 2(n-1)

The printed solution counts columns from 1, as in all programs of this set.
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


def placequeen(i, board, verbose=False):
    """Fills the rows from i on and says whether that is possible."""
    n = len(board["queen"])
    for c in range(n):
        if free(i, c, board):
            addqueen(i, c, board)
            if verbose:
                print(f"queen {i + 1} in column {c + 1}")
            if i == n - 1:
                return True  # the last queen has been placed
            else:
                extendsoln = placequeen(i + 1, board, verbose)
                if extendsoln:
                    return True  # this solution extends fully
                else:
                    undoqueen(i, c, board)
                    if verbose:
                        print(f"undo queen {i + 1}")
    else:
        return False  # row i failed


def main(args):
    verbose = args[:1] == ["-v"]
    args = args[verbose:]
    if len(args) != 1 or not args[0].isdecimal():
        sys.exit("usage: lecture_first.py [-v] number")
    n = int(args[0])
    board = initialize(n)
    # For n = 0 there is no queen to place: the empty board is the solution.
    if n > 0 and not placequeen(0, board, verbose):
        print(f"{n}-Queens has no solution")
        return
    columns = (str(board["queen"][i] + 1) for i in range(n))
    print("(" + ", ".join(columns) + ")")


if __name__ == "__main__":
    # End quietly when the reader, such as head, stops reading. Windows has no such signal.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(sys.argv[1:])
