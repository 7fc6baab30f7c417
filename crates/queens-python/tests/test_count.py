"""Counts: every engine, every kind, boards, devices, and what is refused."""

from __future__ import annotations

import pytest

import queenside


@pytest.mark.parametrize("n", range(17))
def test_counts_are_the_published_ones(n: int) -> None:
    known = queenside.known(n)
    assert known is not None
    assert queenside.count(n) == known.all


@pytest.mark.parametrize("engine", queenside.engines(), ids=lambda engine: engine.name)
def test_every_engine_counts(engine: queenside.Engine) -> None:
    for n in (0, 1, 4, 8, 10):
        for threads in (1, 2):
            counted = queenside.count(n, engine=engine.name, threads=threads)
            assert counted == queenside.known(sequence="all")[n]


def test_every_set_of_vector_instructions_counts_or_says_that_it_is_not_here() -> None:
    counted = 0
    for simd in ("auto", "avx512", "avx2", "neon", "portable"):
        try:
            assert queenside.count(13, simd=simd) == 73_712
            counted += 1
        except ValueError as error:
            assert "this processor has no" in str(error)
    assert counted >= 2


def test_other_kinds_of_solutions_are_the_published_ones() -> None:
    assert queenside.count(12, kind="fundamental") == 1_787
    assert queenside.count(12, kind="half-turn") == queenside.known(sequence="half-turn")[12]
    assert queenside.count(20, kind="quarter-turn") == queenside.known(sequence="quarter-turn")[20]
    assert queenside.count(13, kind="torus") == 4_524


def test_the_solutions_through_each_square_of_a_row_add_up_to_all() -> None:
    for row in (0, 3):
        assert sum(queenside.count(8, given=[(row, col)]) for col in range(8)) == 92
    # A queen stands on a square, or the square is blocked.
    on = queenside.count(9, given=[(2, 5)])
    off = queenside.count(9, blocked=[(2, 5)])
    assert 0 < on < 352
    assert on + off == 352


def test_a_board_is_counted_as_its_parts_are() -> None:
    board = queenside.Board(8, given=[(0, 3)], blocked=[(1, 5)])
    parts = queenside.count(8, given=[(0, 3)], blocked=[(1, 5)])
    assert queenside.count(board) == board.count() == parts
    both = queenside.count(board, blocked=[(7, 0)])
    assert both == queenside.count(8, given=[(0, 3)], blocked=[(1, 5), (7, 0)]) == 14
    assert queenside.count(queenside.Board(8)) == 92
    for engine in ("bitmask", "byte-grid"):
        try:
            assert board.count(engine=engine) == parts
        except ValueError as error:
            assert "plain board only" in str(error)


def test_fewer_queens_are_counted_as_brute_force_counts_them() -> None:
    def brute_force(n: int, queens: int) -> int:
        def place(row: int, placed: tuple[tuple[int, int], ...]) -> int:
            if row == n:
                return len(placed) == queens
            total = place(row + 1, placed)
            for col in range(n):
                if all(c != col and abs(c - col) != row - r for r, c in placed):
                    total += place(row + 1, (*placed, (row, col)))
            return total

        return place(0, ())

    for queens in range(6):
        assert queenside.count(5, queens=queens) == brute_force(5, queens)
    assert queenside.count(5, queens=6) == 0


def test_the_gpu_counts_or_says_in_one_line_why_not() -> None:
    if queenside.devices():
        assert queenside.count(14, device="gpu") == 365_596
        return
    for device in ("gpu", "gpu:0"):
        with pytest.raises(RuntimeError) as caught:
            queenside.count(14, device=device)
        assert str(caught.value).startswith("there is no GPU")
        assert "\n" not in str(caught.value)
    assert queenside.count(14, device="cpu") == queenside.count(14, device="auto") == 365_596


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"n": -1}, "the size of a board cannot be negative"),
        ({"n": 10**30}, "the size of a board is too large"),
        ({"n": 99}, "engine two-colour counts up to n = "),
        ({"n": 99, "engine": "bitmask"}, "engine bitmask counts up to n = 32, not 99"),
        ({"n": 8, "engine": "magic"}, 'no engine is called "magic"; there are byte-grid, '),
        ({"n": 8, "kind": "odd"}, 'no kind of solution is called "odd"; there are all, '),
        ({"n": 8, "threads": 0}, "at least one thread is needed"),
        ({"n": 8, "threads": -2}, "the number of threads cannot be negative"),
        ({"n": 8, "threads": 5_000}, "at most 4096 threads can be asked for"),
        ({"n": 8, "simd": "mmx"}, 'no set of vector instructions is called "mmx"'),
        ({"n": 8, "simd": "portable", "engine": "mirror"}, "engine mirror has no choice of vector"),
        ({"n": 8, "device": "tpu"}, "use auto, cpu, gpu, or gpu:0"),
        ({"n": 7, "device": "gpu"}, "the GPU counts n = 8 to 30, not 7"),
        ({"n": 9, "device": "gpu", "engine": "mirror"}, "the GPU counts with the engine two-colour"),
        ({"n": 9, "device": "gpu", "given": [(0, 0)]}, "the GPU counts on the plain board only"),
        ({"n": 9, "kind": "torus", "given": [(0, 0)]}, "torus solutions are counted on the plain"),
        ({"n": 9, "kind": "torus", "device": "gpu"}, "torus solutions are counted in one way only"),
        ({"n": 9, "kind": "half-turn", "engine": "mirror"}, "leave out engine, simd and a GPU"),
        ({"n": 41, "kind": "torus"}, "torus solutions are counted up to n = 31, not 41"),
        ({"n": 8, "given": [(0, 8)]}, "the square (0, 8) is off the 8 by 8 board"),
        ({"n": 8, "given": [(0, 0), (0, 0)]}, "the square (0, 0) is named twice"),
        ({"n": 8, "given": [(0, -1)]}, "a column cannot be negative"),
        ({"n": 8, "given": [(0, 0)], "queens": 0}, "0 queens are asked for, and 1 is given"),
        ({"n": 8, "given": [(0, 0)], "blocked": [(0, 0)]}, "stands on a blocked square"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(arguments: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match=".") as caught:
        queenside.count(**arguments)  # type: ignore[arg-type]
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": "8"},
        {"n": 8.0},
        {"n": None},
        {"n": [8]},
        {"n": 8, "threads": 1.5},
        {"n": 8, "engine": 3},
        {"n": 8, "given": 5},
        {"n": 8, "given": [5]},
        {"n": 8, "given": [(1, 2, 3)]},
        {"n": 8, "given": [(1,)]},
        {"n": 8, "given": [("a", "b")]},
        {"n": 8, "queens": "all"},
        {"n": 8, "colour": "black"},
        {},
    ],
    ids=str,
)
def test_a_wrong_type_is_a_type_error(arguments: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        queenside.count(**arguments)  # type: ignore[arg-type]


def test_what_has_an_index_is_a_number() -> None:
    numpy = pytest.importorskip("numpy")
    assert queenside.count(numpy.int64(8)) == 92
    assert queenside.count(8, given=numpy.array([[0, 3]])) == queenside.count(8, given=[(0, 3)])
