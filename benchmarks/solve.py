#!/usr/bin/env python3
"""One solution of boards with given queens or blocked squares: queens beside OR-Tools CP-SAT.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install ortools
    cargo build --release --bin queens
    /tmp/venv/bin/python benchmarks/solve.py agree    # 1,000 boards: the same answers?
    /tmp/venv/bin/python benchmarks/solve.py bench    # the tables of benchmarks/boards.md

Boards are drawn from a seed, so that everybody gets the same ones:

completion  queens are given one by one, each on a random square that none of them attacks
            (after Gent, Jefferson and Nightingale, Complexity of n-Queens Completion, 2017)
blocked     every square is free with the same chance, so that a row has FREE on average.
            There are about (0.143 n)^n solutions without blocked squares, so that one is
            expected to be left at FREE = 7, whatever n is: there the answer turns

Each solver has one thread and the same limit of processor time, which does not depend on what
else the machine is doing. The time of queens includes starting it and reading the board; that
of CP-SAT includes building its model, and not starting Python.
"""

import argparse
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

MEMORY = 4 << 30


def completion(n, given, rng):
    """Random queens that do not attack each other; fewer where no square is left."""
    rows, cols, diags, antis, queens = set(), set(), set(), set(), []

    def is_free(row, col):
        return not (row in rows or col in cols or row - col in diags or row + col in antis)

    while len(queens) < given:
        for _ in range(100):
            row, col = rng.randrange(n), rng.randrange(n)
            if is_free(row, col):
                break
        else:
            free = [(r, c) for r in range(n) for c in range(n) if is_free(r, c)]
            if not free:
                break
            row, col = rng.choice(free)
        rows.add(row)
        cols.add(col)
        diags.add(row - col)
        antis.add(row + col)
        queens.append((row, col))
    return {"n": n, "given": sorted(queens), "blocked": []}


def blocked(n, free, rng):
    """Every square is free with the chance that leaves `free` of them in a row."""
    squares = [(r, c) for r in range(n) for c in range(n) if rng.random() * n >= free]
    return {"n": n, "given": [], "blocked": squares}


def free_squares(board):
    n, given = board["n"], board["given"]
    rows, cols = {r for r, _ in given}, {c for _, c in given}
    diags, antis = {r - c for r, c in given}, {r + c for r, c in given}
    closed = set(map(tuple, board["blocked"]))
    for row in range(n):
        if row in rows:
            continue
        for col in range(n):
            if not (col in cols or row - col in diags or row + col in antis):
                if (row, col) not in closed:
                    yield row, col


def holds(board, cols):
    """Whether these columns answer the board; as slow and plain as the rule of the game."""
    n = board["n"]
    return (
        len(cols) == n
        and len(set(cols)) == n
        and len({row - col for row, col in enumerate(cols)}) == n
        and len({row + col for row, col in enumerate(cols)}) == n
        and all(0 <= col < n for col in cols)
        and all(cols[row] == col for row, col in board["given"])
        and not any(cols[row] == col for row, col in board["blocked"])
    )


def by_cp_sat(board, limit=None):
    """The columns of a solution, None if there is none, "?" if it is not known."""
    from ortools.sat.python import cp_model

    n = board["n"]
    model = cp_model.CpModel()
    if n <= 1000:
        # A truth value for each free square: quicker here than a number for each row.
        queens = {square: model.new_bool_var("") for square in free_squares(board)}
        rows, cols, diagonals = {}, {}, {}
        for (row, col), queen in queens.items():
            rows.setdefault(row, []).append(queen)
            cols.setdefault(col, []).append(queen)
            diagonals.setdefault(("diag", row - col), []).append(queen)
            diagonals.setdefault(("anti", row + col), []).append(queen)
        for row in set(range(n)) - {row for row, _ in board["given"]}:
            model.add_exactly_one(rows.get(row, []))
        for col in set(range(n)) - {col for _, col in board["given"]}:
            model.add_exactly_one(cols.get(col, []))
        for line in diagonals.values():
            model.add_at_most_one(line)
    else:
        column = [model.new_int_var(0, n - 1, "") for _ in range(n)]
        model.add_all_different(column)
        model.add_all_different(column[row] + row for row in range(n))
        model.add_all_different(column[row] - row for row in range(n))
        for row, col in board["given"]:
            model.add(column[row] == col)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if limit:
        solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return "?"
    if n > 1000:
        return [solver.value(col) for col in column]
    cols = [None] * n
    for row, col in board["given"]:
        cols[row] = col
    for (row, col), queen in queens.items():
        if solver.value(queen):
            cols[row] = col
    return cols


def run(command, limit):
    """Runs a command: what it printed, its exit code and its seconds of processor time."""

    def bounds():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            command, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=bounds
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return out.read().decode(), child.returncode, usage.ru_utime + usage.ru_stime


def queens_on(args, path, limit):
    """Yes, no or ?, and the seconds."""
    command = [args.queens, "solve", "--board", path, "--json"]
    said, code, seconds = run(command, limit)
    if code == -signal.SIGXCPU or code == -signal.SIGKILL:
        return "?", seconds
    answer = json.loads(said)
    with open(path) as file:
        board = json.load(file)
    if answer["solvable"]:
        assert holds(board, answer["cols"]), f"{path}: no solution is {answer['cols']}"
    return ("yes" if answer["solvable"] else "no"), seconds


def cp_sat_on(args, path, limit):
    """The same by a Python of its own, which a lack of memory may kill."""
    command = [sys.executable, __file__, "cp-sat", path]
    # Starting Python and loading the library takes a second and is not counted.
    said, code, _ = run(command, limit + 2)
    if code != 0 or not said:
        return ("?" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "memory"), limit
    answer, seconds = said.split()
    seconds = float(seconds)
    return (answer, seconds) if seconds <= limit else ("?", limit)


def cp_sat(args):
    with open(args.board) as file:
        board = json.load(file)
    # Loading the library is not counted.
    import ortools.sat.python.cp_model  # noqa: F401

    start = time.process_time()
    cols = by_cp_sat(board)
    seconds = time.process_time() - start
    assert cols is None or holds(board, cols)
    print("no" if cols is None else "yes", seconds)


def agree(args):
    """Both on many small boards, with both answers."""
    rng = random.Random(args.seed)
    said = {True: 0, False: 0}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "board.json")
        for number in range(args.instances):
            n = rng.randint(8, 30)
            board = completion(n, rng.randint(n // 5, n * 2 // 3), rng)
            with open(path, "w") as file:
                json.dump(board, file)
            ours, _ = queens_on(args, path, 600)
            cols = by_cp_sat(board, 600)
            theirs = "?" if cols == "?" else "no" if cols is None else "yes"
            assert "?" not in (ours, theirs), f"instance {number} is not decided: {board}"
            assert ours == theirs, f"queens says {ours}, CP-SAT {theirs}: {board}"
            assert theirs == "no" or holds(board, cols)
            said[ours == "yes"] += 1
    print(f"{args.instances} completion problems, N = 8 to 30, seed {args.seed}:")
    print(f"{said[True]} solvable, {said[False]} not, and both say so of each")


def sizes(args):
    """The rows of the table: a name, a size, how boards are drawn, and how many."""
    for n in (20, 50, 100, 200):
        yield "completion, 40 % given", n, completion, n * 40 // 100, args.boards
    # Where the answer turns, found by trying.
    for n, given in ((20, 10), (50, 33), (100, 77), (200, 166)):
        yield f"completion, {given} of {n} given", n, completion, given, args.boards
    for free in (7, 9):
        for n in (20, 40, 60, 100, 200):
            yield f"blocked, {free} free in a row", n, blocked, free, args.boards
    for n in (1_000, 10_000, 100_000):
        yield "completion, 1 % given", n, completion, n // 100, args.boards


def in_words(seconds):
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


# A solver that decides none of the first boards of a kind and size is not asked about the others,
# nor about larger ones; and none spends more than --budget seconds on one row of the table. At a
# minute a board it would take hours.
PATIENCE = 3


def bench(args):
    hopeless = set()
    print("| boards | N | queens: solvable, not, ? | median | CP-SAT: solvable, not, ? | median |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "board.json")
        for kind, n, draw, amount, boards in sizes(args):
            if args.only and args.only not in kind or args.sizes and n not in args.sizes:
                continue
            results = {"queens": [], "CP-SAT": []}
            for number in range(boards):
                rng = random.Random(f"{args.seed} {kind} {n} {number}")
                with open(path, "w") as file:
                    json.dump(draw(n, amount, rng), file)
                answers = set()
                for solver, ask in (("queens", queens_on), ("CP-SAT", cp_sat_on)):
                    if args.solver and solver != args.solver:
                        continue
                    spent = sum(seconds for _, seconds in results[solver])
                    if (solver, kind) in hopeless or spent > args.budget:
                        continue
                    result = ask(args, path, args.limit)
                    results[solver].append(result)
                    answers.add(result[0])
                    print(kind, n, number, solver, *result, sep=", ", file=sys.stderr, flush=True)
                    so_far = [answer for answer, _ in results[solver]]
                    if len(so_far) == PATIENCE and not {"yes", "no"} & set(so_far):
                        hopeless.add((solver, kind))
                assert not {"yes", "no"} <= answers, f"{kind}, N = {n}, board {number}"
            row = [kind, str(n)]
            for solver, all_of_it in results.items():
                answers = [answer for answer, _ in all_of_it]
                if not answers:
                    row += ["not tried", ""]
                    continue
                open_ones = len(answers) - answers.count("yes") - answers.count("no")
                row.append(f"{answers.count('yes')}, {answers.count('no')}, {open_ones}")
                if "memory" in answers:
                    row[-1] += " (no memory)"
                median = statistics.median(
                    seconds if answer in ("yes", "no") else float("inf")
                    for answer, seconds in all_of_it
                )
                row.append(f"> {args.limit} s" if median > args.limit else in_words(median))
            print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queens", default="target/release/queens", help="the program")
    parser.add_argument("--seed", type=int, default=1)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("agree", help="both solvers on small boards")
    verb.add_argument("--instances", type=int, default=1_000)
    verb.set_defaults(run=agree)
    verb = verbs.add_parser("bench", help="the tables")
    verb.add_argument("--boards", type=int, default=15, help="how many of each kind and size")
    verb.add_argument("--limit", type=int, default=60, help="seconds of processor time")
    verb.add_argument(
        "--budget", type=int, default=240, help="seconds for each solver and row of the table"
    )
    verb.add_argument("--solver", choices=["queens", "CP-SAT"], help="only this one")
    verb.add_argument("--only", help="only kinds with this text in their names")
    verb.add_argument("--sizes", type=int, nargs="*", help="only boards of these sizes")
    verb.set_defaults(run=bench)
    verb = verbs.add_parser("cp-sat", help="one board, for the others")
    verb.add_argument("board")
    verb.set_defaults(run=cp_sat)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
