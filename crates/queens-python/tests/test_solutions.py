"""Solutions one by one, as bytes and as arrays; the first, any, random ones."""

from __future__ import annotations

import multiprocessing
import resource
from itertools import islice, permutations
from typing import Literal

import pytest
from support import python

import queenside
from queenside import Placement, Solution


def brute_force(n: int) -> list[tuple[int, ...]]:
    def is_solution(columns: tuple[int, ...]) -> bool:
        return (
            len({row + col for row, col in enumerate(columns)}) == n
            and len({row - col for row, col in enumerate(columns)}) == n
        )

    return [columns for columns in permutations(range(n)) if is_solution(columns)]


@pytest.mark.parametrize("n", range(9))
def test_solutions_are_those_of_brute_force_in_order(n: int) -> None:
    assert [solution.columns for solution in queenside.solutions(n)] == brute_force(n)


def test_fundamental_solutions_are_one_of_each_orbit() -> None:
    for n in range(10):
        every = set(queenside.solutions(n))
        seen: set[Solution] = set()
        for solution in queenside.fundamental(n):
            assert solution.is_fundamental
            orbit = set(solution.orbit())
            assert not orbit & seen
            seen |= orbit
        assert seen == every


def test_boards_have_the_solutions_that_fit_them() -> None:
    given, blocked = [(2, 1)], [(0, 0), (5, 4), (6, 6)]
    expected = [
        solution
        for solution in queenside.solutions(7)
        if solution[2] == 1 and not set(blocked) & set(solution.queens)
    ]
    found = list(queenside.solutions(7, given=given, blocked=blocked))
    assert found == expected
    assert found
    board = queenside.Board(7, given=given, blocked=blocked)
    assert list(board.solutions()) == list(queenside.solutions(board)) == expected
    assert board.first() == queenside.first(board) == expected[0]


def test_empty_rows_make_placements() -> None:
    found = list(queenside.solutions(4, queens=3))
    assert len(found) == queenside.count(4, queens=3)
    assert all(isinstance(answer, Placement) and len(answer.queens) == 3 for answer in found)
    assert queenside.first(4, queens=5) is None


def test_an_iterator_is_its_own_and_ends_for_good() -> None:
    found = queenside.solutions(6)
    assert iter(found) is found
    assert len(list(found)) == 4
    assert list(found) == []
    with pytest.raises(StopIteration):
        next(found)


def test_all_solutions_of_twelve_are_one_array() -> None:
    numpy = pytest.importorskip("numpy")
    array = queenside.solutions(12).to_numpy()
    assert array.shape == (14_200, 12)
    assert array.dtype == numpy.uint8
    assert array.flags.writeable
    rows = numpy.arange(12)
    for lines in (array, array + rows, array.astype(int) - rows):
        assert (numpy.diff(numpy.sort(lines, axis=1), axis=1) > 0).all()
    assert (array[:, 0] == numpy.sort(array[:, 0])).all()
    for n in range(8):
        found = queenside.solutions(n).to_numpy()
        assert found.shape == (len(brute_force(n)), n)
        assert [tuple(row) for row in found.tolist()] == brute_force(n)
    rest = queenside.solutions(8)
    next(rest)
    assert rest.to_numpy().shape == (91, 8)
    assert rest.to_numpy().shape == (0, 8)


def test_arrays_need_numpy_and_bytes_do_not() -> None:
    python(
        """
import sys
sys.modules["numpy"] = None
import queenside
assert len(queenside.solutions(8).to_bytes()) == 92 * 8
try:
    queenside.solutions(8).to_numpy()
except ImportError as error:
    assert "numpy" in str(error)
else:
    raise AssertionError
"""
    )
    with pytest.raises(ValueError, match="empty rows"):
        queenside.solutions(5, queens=4).to_bytes()
    with pytest.raises(ValueError, match="up to n = 256"):
        queenside.solutions(257).to_bytes()


def test_memory_stays_flat_over_a_million_solutions() -> None:
    found = queenside.solutions(15)
    sum(1 for _ in islice(found, 10_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in islice(found, 1_000_000)) == 1_000_000
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4 * 1024, f"{grown} KiB more"


def test_any_solution_is_found_or_proved_absent() -> None:
    for n in (1, 4, 8, 100, 1000):
        solution = queenside.solve(n)
        assert isinstance(solution, Solution)
        assert queenside.check(solution)
    assert queenside.solve(2) is queenside.solve(3) is None
    board = queenside.Board(30, given=[(4, 7), (9, 3)], blocked=[(0, col) for col in range(15)])
    methods: tuple[Literal["auto", "exact", "local"], ...] = ("auto", "exact", "local")
    for method in methods:
        answer = board.solve(method=method, seed=5)
        assert answer is not None
        assert board.check(answer)
    assert queenside.solve(8, given=[(0, 0), (1, 2), (2, 4)]) is None
    for method in methods:
        three = queenside.solve(6, queens=3, method=method)
        assert isinstance(three, Placement)
        assert len(three.queens) == 3
    with pytest.raises(ValueError, match='no method is called "best"'):
        queenside.solve(6, method="best")  # type: ignore[call-overload]


def test_random_solutions_follow_their_seed() -> None:
    for n, method in ((8, None), (8, "chain"), (50, None)):
        one = queenside.random(n, seed=3, method=method)  # type: ignore[arg-type]
        assert one == queenside.random(n, seed=3, method=method)  # type: ignore[arg-type]
        assert queenside.check(one)
    assert len({queenside.random(30) for _ in range(5)}) == 5
    assert queenside.sample(40, 3, seed=9, threads=2) == queenside.sample(40, 3, seed=9, threads=1)
    assert queenside.sample(8, 0) == []
    with pytest.raises(ValueError, match="^at most 100000000 solutions can be drawn at a time"):
        queenside.sample(8, 2**40)


def test_forked_processes_draw_different_solutions() -> None:
    context = multiprocessing.get_context("fork")
    with context.Pool(4) as pool:
        drawn = pool.map(queenside.random, [40] * 4, chunksize=1)
    assert len(set(drawn)) == 4


def test_every_solution_of_eight_is_drawn() -> None:
    drawn = queenside.sample(8, 2_000, seed=1)
    assert set(drawn) == set(queenside.solutions(8))


@pytest.mark.parametrize(
    ("n", "method", "line"),
    [
        (3, None, "the board of size 3 has no solution"),
        (23, "exact", "boards up to n = 22 can be drawn from exactly, not 23"),
        (1001, None, "boards up to n = 1000 can be drawn from, not 1001"),
        (8, "dice", 'no method is called "dice"; there are exact, chain'),
        (-8, None, "the size of a board cannot be negative"),
    ],
)
def test_what_cannot_be_drawn_says_why(n: int, method: str | None, line: str) -> None:
    with pytest.raises(ValueError, match="^" + line):
        queenside.random(n, method=method)  # type: ignore[arg-type]
