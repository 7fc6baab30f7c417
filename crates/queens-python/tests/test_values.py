"""Solutions, placements and boards as values: equal, hashed, sorted, pickled, sliced, drawn."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

import queenside
from queenside import Attack, Board, Placement, Solution
from support import queens

SVG = "{http://www.w3.org/2000/svg}svg"

VALUES = [
    Solution((1, 3, 0, 2)),
    Solution(()),
    Solution([0]),
    queenside.random(300, seed=1),
    Placement(4, [(0, 1), (0, 2)]),
    Placement([1, None, 0]),
    Attack((0, 1), (2, 1)),
    Board(5),
    Board(6, given=[(0, 1)], blocked=[(3, 3), (2, 0)], queens=4),
    queenside.trace(4)[3],
    queenside.tree(4).nodes[1],
    queenside.engines()[0],
    queenside.known()[8],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_survive_copies_pickles_and_their_own_text(value: object) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value
        assert hash(again) == hash(value)
        assert type(again) is type(value)
    assert copy.deepcopy(value) == copy.copy(value) == value
    names = {name: getattr(queenside, name) for name in queenside.__all__}
    assert eval(repr(value), names) == value


def test_equality_and_order_are_those_of_columns() -> None:
    every = list(queenside.solutions(8))
    assert every == sorted(reversed(every))
    assert len(set(every) | set(queenside.solutions(8))) == 92
    one, other = every[0], every[1]
    assert one < other <= other
    assert other > one >= one
    assert one != other
    assert one != one.columns
    assert one != "Q"
    assert Placement(one) != one
    assert {one: 1}[Solution(one.columns)] == 1
    with pytest.raises(TypeError):
        assert one < one.columns  # type: ignore[operator]


def sequence_index(sequence: Sequence[int], column: int, bounds: tuple[int, ...]) -> int | None:
    try:
        return sequence.index(column, *bounds)
    except ValueError:
        return None


def test_a_solution_is_a_sequence_of_columns() -> None:
    solution = queenside.first(8)
    assert solution is not None
    columns = (0, 4, 7, 5, 2, 6, 1, 3)
    assert tuple(solution) == solution.columns == columns
    assert len(solution) == solution.n == 8
    assert solution[0] == 0
    assert solution[-1] == 3
    assert solution[2:5] == columns[2:5]
    assert solution[::-2] == columns[::-2]
    assert solution.queens == tuple(enumerate(columns))
    assert 7 in solution
    assert 8 not in solution
    assert "Q" not in solution  # type: ignore[comparison-overlap]
    assert isinstance(solution, Sequence)
    assert list(reversed(solution)) == list(reversed(columns))
    for column in range(9):
        assert solution.count(column) == columns.count(column)
        for bounds in ((), (3,), (3, 6), (-2,), (0, -4), (9, 20)):
            found = [sequence_index(each, column, bounds) for each in (solution, columns)]
            assert found[0] == found[1]
    match solution:
        case [head, *_, last]:
            assert (head, last) == (0, 3)
        case _:
            pytest.fail("no pattern of a sequence fits")
    for wrong in (8, -9):
        with pytest.raises(IndexError):
            solution[wrong]
    with pytest.raises(TypeError):
        solution["a"]  # type: ignore[call-overload]


def test_images_are_an_orbit() -> None:
    names = (
        "identity quarter half three-quarters left-right top-bottom transpose anti-transpose"
    ).split()
    for solution in queenside.solutions(6):
        images = {solution.image(name) for name in names}  # type: ignore[arg-type]
        assert images == set(solution.orbit())
        assert solution.orbit() == sorted(images)
        assert solution.fundamental() == min(images)
        assert solution.is_fundamental == (solution == min(images))
    assert solution.image("half").image("half") == solution
    with pytest.raises(ValueError, match='no symmetry is called "diagonal"'):
        solution.image("diagonal")  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ["tuple", "zero-based", "board", "unicode", "fen", "json", "csv"])
def test_every_format_is_written_and_read(format: str) -> None:
    solution = Solution((1, 3, 0, 2))
    text = solution.text(format)  # type: ignore[arg-type]
    assert Solution(text) == solution
    assert Placement(text).solution() == solution
    assert Placement(text).text(format) == text  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no format is called"):
        solution.text(format + "?")  # type: ignore[arg-type]


def test_conflicts_are_the_attacks_of_the_rule() -> None:
    placement = Placement(5, [(0, 0), (0, 4), (2, 2), (4, 0)])
    pairs = {(attack.first, attack.second, attack.line) for attack in placement.conflicts()}
    assert pairs == {
        ((0, 0), (0, 4), "row"),
        ((0, 0), (4, 0), "col"),
        ((0, 0), (2, 2), "diag"),
        ((0, 4), (2, 2), "anti"),
        ((0, 4), (4, 0), "anti"),
        ((2, 2), (4, 0), "anti"),
    }
    assert placement.conflicts() == sorted(placement.conflicts())
    report = queenside.check(placement)
    assert not report
    assert report.attacks == placement.conflicts()
    assert str(report).startswith("4 queens, not 5, on a board of 5 by 5\n")
    assert repr(queenside.check([0, 1])).endswith("attack each other on a falling diagonal>")
    many = queenside.check([0] * 100)
    assert repr(many) == "<Report: 4950 pairs of queens attack each other>"
    assert len(str(many).splitlines()) == len(many.attacks) == 4950
    assert queenside.check("(2, 4, 1, 3)")
    assert Solution((1, 3, 0, 2)).conflicts() == []
    with pytest.raises(ValueError, match="share no line"):
        Attack((0, 0), (1, 2))
    with pytest.raises(ValueError, match="share no line"):
        Attack((0, 0), (0, 0))


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Solution([0, 1]), "attack each other on a falling diagonal"),
        (lambda: Solution([1, 3, 0]), "off the 3 by 3 board"),
        (lambda: Solution([1, 3, None, 2]), "3 queens, not 4, on a board of 4 by 4"),
        (lambda: Solution("chess"), "."),
        (lambda: Solution([-1]), "a column cannot be negative"),
        (lambda: Placement(2, [(0, 2)]), "off the 2 by 2 board"),
        (lambda: Placement(2, [(0, 0), (0, 0)]), "named twice"),
        (lambda: Placement(10**9, []), "too large"),
        (lambda: Placement([1, None]).solution(), "1 queen, not 2, on a board of 2 by 2"),
        (lambda: Placement(2, [(0, 0), (0, 1)]).text("tuple"), "."),
        (lambda: Board("[4, 2]"), r"\[4,2\] is no object"),
        (lambda: Board("Q.\n.x"), "stands for no square"),
        (lambda: Board(3, given=[(0, 0), (2, 2)]), r"queens on \(0, 0\) and \(2, 2\) attack"),
        (lambda: Board(4, queens=-1), "cannot be negative"),
        (lambda: queenside.random(101, seed=1).svg(), "boards are drawn up to N = 100"),
        (lambda: Solution([0]).svg(theme="blue"), 'no theme is called "blue"'),  # type: ignore[arg-type]
    ],
)
def test_what_contradicts_itself_is_refused(make: object, line: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=line) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Solution(8),  # type: ignore[arg-type]
        lambda: Solution([1.5]),  # type: ignore[list-item]
        lambda: Solution(),  # type: ignore[call-arg]
        lambda: Placement(4),  # type: ignore[call-overload]
        lambda: Placement(4, 5),  # type: ignore[call-overload]
        lambda: Board([]),  # type: ignore[arg-type]
        lambda: queenside.check(8),  # type: ignore[arg-type]
        lambda: queenside.solutions("4"),  # type: ignore[call-overload]
        lambda: queenside.tree(4, depth="2"),  # type: ignore[arg-type]
        lambda: queenside.known("8"),  # type: ignore[call-overload]
        lambda: queenside.Campaign(8),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_is_a_type_error(make: object) -> None:
    assert callable(make)
    with pytest.raises(TypeError):
        make()


def test_values_do_not_change() -> None:
    for value in VALUES[:8]:
        for name in ("n", "columns", "first", "colour"):
            with pytest.raises(AttributeError):
                setattr(value, name, 3)


def test_boards_are_text_and_back() -> None:
    text = "Q . . .\n. . # .\n. . . .\n. # . ."
    board = Board(text)
    assert str(board) == text
    assert (board.n, board.given, board.blocked) == (4, ((0, 0),), ((1, 2), (3, 1)))
    assert board == Board(4, given=[(0, 0)], blocked=[(3, 1), (1, 2)])
    assert Board(text, queens=3).queens == 3
    assert not board.check([0, 2, None, None])


@pytest.mark.parametrize(
    "value",
    [
        Solution((1, 3, 0, 2)),
        Placement([0, 1, None]),
        Board(4, given=[(0, 1)], blocked=[(2, 2)]),
        queenside.tree(4),
        queenside.trace(4),
    ],
    ids=repr,
)
def test_notebooks_get_a_picture_and_its_text(value: Solution) -> None:
    svg = value._repr_svg_()
    assert svg is not None
    assert ElementTree.fromstring(svg).tag == SVG
    bundle = value._repr_mimebundle_()
    assert bundle["image/svg+xml"] == svg
    assert bundle["text/plain"] in (str(value), repr(value))
    assert value._repr_mimebundle_(include=None, exclude=None) == bundle
    assert ElementTree.fromstring(value.svg(theme="dark")).tag == SVG
    assert value.svg(theme="dark") != value.svg()


def test_boards_are_drawn_as_the_command_draws_them() -> None:
    board = Board(4, given=[(0, 1)], blocked=[(3, 0)])
    options = ["--given", "1,2", "--blocked", "4,1", "--question", "--format", "svg"]
    assert board.svg() == queens("show", "4", *options)
    assert board.svg() != Board(4, given=[(0, 1)]).svg()


def test_what_is_too_large_to_draw_is_text_only() -> None:
    large = queenside.random(101, seed=1)
    assert large._repr_svg_() is None
    assert large._repr_mimebundle_() == {"text/plain": repr(large)}
    assert queenside.tree(7)._repr_svg_() is None
    for board in (Board(101, given=[(0, 1)]), Board(2**40)):
        assert board._repr_mimebundle_() == {"text/plain": repr(board)}
        with pytest.raises(ValueError, match=f"boards are drawn up to N = 100, not {board.n}"):
            board.svg()


def test_a_picture_shows_attacks_where_there_are_some() -> None:
    placement = Placement([0, 1])
    assert placement.svg() != placement.svg(attacks=False)
    assert 'width="99"' in placement.svg(size=99)
