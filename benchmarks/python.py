"""Times queenside beside what else a Python user would pick: benchmarks/python.md.

    python -m venv /tmp/bench && . /tmp/bench/bin/activate
    pip install target/python/wheels/*.whl python-constraint2 ortools nqueens-solver
    python benchmarks/python.py

Every answer is compared with the published one. A contender gets no larger board once one took
longer than --most seconds. All run on one thread. With --cpu the time is that of the processor, on a
machine that others use too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator

import queenside


def bitmask_count(n: int) -> int:
    """A good count in plain Python: three bit vectors, and half the board by reflection."""
    full = (1 << n) - 1

    def below(cols: int, left: int, right: int) -> int:
        free = full & ~(cols | left | right)
        total = 0
        while free:
            bit = free & -free
            free ^= bit
            taken = cols | bit
            if taken == full:
                return 1
            total += below(taken, (left | bit) << 1, (right | bit) >> 1)
        return total

    if n < 2:
        return 1
    total = 0
    for col in range(n // 2):
        bit = 1 << col
        total += 2 * below(bit, bit << 1, bit >> 1)
    if n % 2:
        bit = 1 << n // 2
        total += below(bit, bit << 1, bit >> 1)
    return total


def bitmask_list(n: int) -> int:
    """All solutions in plain Python, as tuples, one by one."""
    full = (1 << n) - 1
    columns = [0] * n

    def below(row: int, cols: int, left: int, right: int) -> Iterator[tuple[int, ...]]:
        if row == n:
            yield tuple(columns)
            return
        free = full & ~(cols | left | right)
        while free:
            bit = free & -free
            free ^= bit
            columns[row] = bit.bit_length() - 1
            yield from below(row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1)

    return sum(1 for _ in below(0, 0, 0, 0))


def constraint_list(n: int) -> int:
    """python-constraint: a variable per row, all different, and the diagonals."""
    from constraint import AllDifferentConstraint, Problem

    problem = Problem()
    rows = list(range(n))
    problem.addVariables(rows, rows)
    problem.addConstraint(AllDifferentConstraint())
    for one in rows:
        for other in range(one):
            problem.addConstraint(
                lambda a, b, away=one - other: abs(a - b) != away, (one, other)
            )
    return sum(1 for _ in problem.getSolutionIter())


def cp_sat_list(n: int) -> int:
    """OR-Tools CP-SAT: three AllDifferent, every solution handed to a callback."""
    from ortools.sat.python import cp_model

    class Listener(cp_model.CpSolverSolutionCallback):
        def __init__(self, queens: list[cp_model.IntVar]) -> None:
            super().__init__()
            self.queens = queens
            self.found = 0

        def on_solution_callback(self) -> None:
            self.found += len(tuple(self.value(queen) for queen in self.queens)) > 0

    model = cp_model.CpModel()
    queens = [model.new_int_var(0, n - 1, f"row {row}") for row in range(n)]
    model.add_all_different(queens)
    model.add_all_different(queen + row for row, queen in enumerate(queens))
    model.add_all_different(queen - row for row, queen in enumerate(queens))
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    listener = Listener(queens)
    solver.solve(model, listener)
    return listener.found


def nqueens_solver_list(n: int) -> int:
    """nqueens-solver from PyPI, which prints every board; the text is thrown away."""
    from nqueens_solver.solver import solve_n_queens

    with contextlib.redirect_stdout(io.StringIO()):
        return len(solve_n_queens(n))


Contender = tuple[str, Callable[[int], int]]

COUNT: list[Contender] = [
    ("queenside.count", lambda n: queenside.count(n, threads=1, device="cpu")),
    ("plain Python, bit vectors", bitmask_count),
]

LIST: list[Contender] = [
    ("queenside.solutions, to_numpy()", lambda n: len(queenside.solutions(n).to_numpy())),
    ("queenside.solutions, a loop", lambda n: sum(1 for _ in queenside.solutions(n))),
    ("plain Python, bit vectors", bitmask_list),
    ("python-constraint", constraint_list),
    ("OR-Tools CP-SAT", cp_sat_list),
    ("nqueens-solver", nqueens_solver_list),
]


def best(run: Callable[[int], int], n: int, clock: Callable[[], float]) -> float:
    """The least of up to five runs within half a second; a longer run is made once."""
    solutions = queenside.known(sequence="all")[n]
    times: list[float] = []
    while len(times) < 5 and sum(times) < 0.5:
        start = clock()
        assert run(n) == solutions, f"a wrong count for n = {n}"
        times.append(clock() - start)
    return min(times)


def shown(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def table(
    title: str,
    contenders: list[Contender],
    sizes: list[int],
    most: float,
    clock: Callable[[], float],
) -> None:
    print(f"\n| {title} | " + " | ".join(f"n = {n}" for n in sizes) + " |")
    print("|---|" + "---:|" * len(sizes))
    base: dict[int, float] = {}
    for name, run in contenders:
        cells, given_up = [], False
        for n in sizes:
            if given_up:
                cells.append("")
                continue
            seconds = best(run, n, clock)
            given_up = seconds > most
            base.setdefault(n, seconds)
            ratio = seconds / base[n]
            cells.append(shown(seconds) + (f" ({ratio:,.0f}x)" if ratio >= 1.5 else ""))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def overhead() -> None:
    import timeit

    for call in ("count(4)", "first(4)", "next(solutions(8))"):
        runs = timeit.repeat(call, globals=vars(queenside), number=20_000, repeat=5)
        print(f"{call}: {1e6 * min(runs) / 20_000:.2f} microseconds")


def interrupts() -> None:
    """How long it takes from Ctrl-C to the KeyboardInterrupt, the worst of several."""
    import signal
    import threading

    # A shell has programs in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for call in ("count(24, device='cpu')", "count(20, engine='bitmask')", "first(64)"):
        worst = 0.0
        for trial in range(8):
            pressed = 0.0

            def press() -> None:
                nonlocal pressed
                time.sleep(0.2 + 0.013 * trial)
                pressed = time.perf_counter()
                os.kill(os.getpid(), signal.SIGINT)

            threading.Thread(target=press).start()
            try:
                eval(call, dict(vars(queenside)))
            except KeyboardInterrupt:
                worst = max(worst, time.perf_counter() - pressed)
        print(f"{call}: interrupted within {1000 * worst:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 10, 12, 14, 16])
    parser.add_argument("--most", type=float, default=20.0)
    parser.add_argument("--cpu", action="store_true")
    arguments = parser.parse_args()
    overhead()
    interrupts()
    clock = time.process_time if arguments.cpu else time.perf_counter
    table("count", COUNT, arguments.sizes, arguments.most, clock)
    table("list", LIST, arguments.sizes, arguments.most, clock)
