#!/usr/bin/env python3
"""Counts the answers of some boards with queens, OR-Tools CP-SAT and Gecode, side by side.

    python3 benchmarks/boards.py target/release/queens            # a table, as in boards.md
    python3 benchmarks/boards.py target/release/queens --limit 20

Every program gets one thread and, for each board, at most --limit seconds of the clock. Times are
seconds of the processor, which a busy machine does not lengthen; those of queens are the best of
twenty counts, without the start of the program where that is longer. CP-SAT (PyPI:
ortools) and Gecode (Debian: minizinc and gecode) enumerate all solutions of the usual model:
a column for each row, and three constraints of different values. A program that is not
installed is left out. Every count must be the same; the script fails where one is not.
"""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def attacks(a, b):
    return a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1])


def board(n, given=0, blocked=0, seed=1, squares=()):
    """A board with random given queens that do not attack each other, and blocked squares."""
    chance = random.Random(1000 * n + seed)
    queens, holes = [], [list(square) for square in squares]
    while len(queens) < given:
        square = [chance.randrange(n), chance.randrange(n)]
        if not any(attacks(square, queen) for queen in queens):
            queens.append(square)
    while len(holes) < blocked + len(squares):
        square = [chance.randrange(n), chance.randrange(n)]
        if square not in queens and square not in holes:
            holes.append(square)
    return {"n": n, "given": queens, "blocked": holes}


def corners(n):
    return [(0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1)]


BOARDS = [
    ("10, corners blocked", board(10, squares=corners(10))),
    ("10, 10 blocked", board(10, blocked=10)),
    ("11, 10 blocked", board(11, blocked=10)),
    ("11, falling diagonal blocked", board(11, squares=[(i, i) for i in range(11)])),
    ("12, 10 blocked", board(12, blocked=10)),
    ("12, 40 blocked", board(12, blocked=40)),
    ("12, 1 given", board(12, given=1)),
    ("13, 10 blocked", board(13, blocked=10)),
    ("13, 2 given", board(13, given=2)),
    ("14, 40 blocked", board(14, blocked=40)),
    ("14, 2 given", board(14, given=2)),
    ("14, 4 given", board(14, given=4)),
]


def free_columns(board, row):
    """The columns that a row's queen may take, by what is given and blocked in that row."""
    for r, c in board["given"]:
        if r == row:
            return [c]
    return [c for c in range(board["n"]) if [row, c] not in board["blocked"]]


def by_queens(program, board):
    """The count, the time that it took, as the program says, and the engine."""
    command = [program, "count", "--board", "-", "--threads", "1", "--json"]
    text = json.dumps(board)
    best = None
    for _ in range(20):
        start = used_by_children()
        out = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        used = used_by_children() - start
        answer = json.loads(out.stdout)
        # The clock leaves out the start of the program, the processor's time other programs.
        seconds = min(answer["seconds"], used)
        best = seconds if best is None else min(best, seconds)
    return answer["count"], best, answer["engine"]


def by_cp_sat(board, limit):
    from ortools.sat.python import cp_model

    n = board["n"]
    model = cp_model.CpModel()
    domain = cp_model.Domain.from_values
    rows = [model.new_int_var_from_domain(domain(free_columns(board, r)), f"q{r}") for r in range(n)]
    model.add_all_different(rows)
    model.add_all_different([q + r for r, q in enumerate(rows)])
    model.add_all_different([q - r for r, q in enumerate(rows)])

    class Counter(cp_model.CpSolverSolutionCallback):
        count = 0

        def on_solution_callback(self):
            self.count += 1

    solver, counter = cp_model.CpSolver(), Counter()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    start = time.process_time()
    status = solver.solve(model, counter)
    seconds = time.process_time() - start
    done = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return (counter.count if done else None), seconds


def used_by_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def by_gecode(board, limit):
    n = board["n"]
    sets = ", ".join("{" + ", ".join(map(str, free_columns(board, r))) + "}" for r in range(n))
    model = f"""include "alldifferent.mzn";
array[1..{n}] of set of int: free = [{sets}];
array[1..{n}] of var 0..{n - 1}: q;
constraint forall(i in 1..{n})(q[i] in free[i]);
constraint alldifferent(q);
constraint alldifferent(i in 1..{n})(q[i] + i);
constraint alldifferent(i in 1..{n})(q[i] - i);
solve :: int_search(q, first_fail, indomain_min) satisfy;
output [];
"""
    with tempfile.TemporaryDirectory() as folder:
        source, flat = os.path.join(folder, "q.mzn"), os.path.join(folder, "q.fzn")
        with open(source, "w") as file:
            file.write(model)
        compiled = ["minizinc", "--solver", "gecode", "-c", source, "--fzn", flat, "--no-output-ozn"]
        subprocess.run(compiled, check=True, capture_output=True)
        start = used_by_children()
        try:
            out = subprocess.run(["fzn-gecode", "-a", "-p", "1", flat], capture_output=True,
                                 text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None, used_by_children() - start
        seconds = used_by_children() - start
    done = "==========" in out.stdout or "UNSATISFIABLE" in out.stdout
    return (out.stdout.count("----------") if done else None), seconds


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("queens", help="the program, such as target/release/queens")
    arguments.add_argument("--limit", type=float, default=60, help="seconds for each board")
    arguments.add_argument("--only", default="", help="boards whose title has this text")
    options = arguments.parse_args()

    others = []
    try:
        import ortools

        others.append((f"CP-SAT {ortools.__version__}", by_cp_sat))
    except ImportError:
        print("OR-Tools is not installed (pip install ortools)", file=sys.stderr)
    if shutil.which("minizinc") and shutil.which("fzn-gecode"):
        others.append(("Gecode", by_gecode))
    else:
        print("Gecode is not installed (apt install minizinc gecode)", file=sys.stderr)

    names = [name for name, _ in others]
    print("| board | answers | engine | queens |", " | ".join(f"{name} | ratio" for name in names), "|")
    print("|---|---|---|---|" + "---|---|" * len(names))
    for title, question in BOARDS:
        if options.only not in title:
            continue
        count, seconds, engine = by_queens(options.queens, question)
        cells = [title, f"{count:,}", engine, shown(seconds)]
        for name, solve in others:
            found, took = solve(question, options.limit)
            if found is not None and found != count:
                sys.exit(f"{title}: {name} finds {found}, queens {count}: {json.dumps(question)}")
            more = "" if found is not None else "more than "
            cells += [more + shown(took), f"{more}{took / seconds:,.0f}"]
        print("|", " | ".join(cells), "|", flush=True)


def shown(seconds):
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


if __name__ == "__main__":
    main()
