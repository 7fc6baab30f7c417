"""Traces, trees, estimates, published counts and campaigns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import queens

import queenside

STYLES = ("tuple", "steps", "box", "attackers", "lines", "grid", "bits")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("until", ["first", "all"])
def test_traces_are_those_of_the_command(style: str, until: str) -> None:
    steps = queenside.trace(5, style=style, until=until, limit=None)  # type: ignore[arg-type]
    options = ("--style", style, "--until", until)
    assert str(steps) == queens("trace", "5", "--colour", "never", *options)
    assert steps.json() == queens("trace", "5", "--format", "json", *options)
    assert steps.html() == queens("trace", "5", "--format", "html", *options)
    assert queenside.trace(5, until=until).text(style) == str(steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
def test_traces_of_boards_are_those_of_the_command(style: str) -> None:
    board = queenside.Board(5, given=[(1, 3)], blocked=[(0, 0), (4, 0)])
    steps = queenside.trace(board, style=style, until="all", limit=None)  # type: ignore[arg-type]
    same = ("trace", "5", "--given", "2,4", "--blocked", "1,1 5,1", "--until", "all")
    assert str(steps) == queens(*same, "--colour", "never", "--style", style)
    assert steps.json() == queens(*same, "--json", "--style", style)
    assert steps.html() == queens(*same, "--format", "html", "--style", style)
    assert steps.stats.solutions == board.count() == 1 == queenside.tree(board).nodes[0].solutions
    assert any(event.blocked for event in steps)
    fewer = queenside.trace(4, queens=3, style=style, until="all")  # type: ignore[arg-type]
    assert str(fewer) == queens(
        "trace", "4", "--queens", "3", "--until", "all", "--colour", "never", "--style", style
    )
    assert fewer.stats.solutions == queenside.count(4, queens=3)
    assert {"skip", "unskip"} < {event.kind for event in fewer}


def test_a_trace_of_a_board_starts_with_the_given_queens() -> None:
    steps = queenside.trace(6, given=[(1, 3)], blocked=[(0, 0)])
    assert steps.board(0).queens == ((1, 3),)
    assert steps.board().columns == (1, 3, 5, 0, 2, 4)
    with pytest.raises(ValueError, match="attack each other"):
        queenside.trace(6, given=[(0, 0), (1, 1)])


def test_trees_of_boards_are_those_of_the_command() -> None:
    tree = queenside.tree(4, given=[(1, 3)], blocked=[(0, 0)])
    same = ("tree", "4", "--given", "2,4", "--blocked", "1,1", "--pruned")
    assert tree.text(pruned=True) == queens(*same)
    assert tree.svg(pruned=True) == queens(*same, "--format", "svg")
    assert tree.nodes[0].blocked == (0,)
    fewer = queenside.tree(3, queens=2)
    assert fewer.text() == queens("tree", "3", "--queens", "2")
    assert fewer.nodes[1].columns == (None,)


def test_events_lead_from_board_to_board() -> None:
    steps = queenside.trace(6, until="all")
    events = list(steps)
    assert len(events) == len(steps) == steps.stats.events
    assert steps[-1] == events[-1]
    assert steps[3:9:2] == events[3:9:2]
    assert steps[::-1] == events[::-1]
    queens: list[tuple[int, int]] = []
    solutions = 0
    for number, event in enumerate(events[:300], start=1):
        if event.kind == "place":
            assert event.row is not None
            assert event.column is not None
            queens.append((event.row, event.column))
        elif event.kind == "undo":
            assert queens.pop() == (event.row, event.column)
        elif event.kind == "solution":
            solutions += 1
            assert steps.board(number).is_solution
        elif event.kind == "try" and event.attack:
            assert event.attack.first in queens
            assert event.attack.second == (event.row, event.column)
        assert steps.board(number).queens == tuple(queens)
    assert solutions > 0
    assert steps.stats.levels == queenside.tree(6).levels
    assert steps.stats.solutions == 4
    for wrong in (len(steps), -len(steps) - 1):
        with pytest.raises(IndexError):
            steps[wrong]
    with pytest.raises(IndexError):
        steps.board(len(steps) + 1)


def test_a_trace_ends_where_it_is_told_to() -> None:
    cut = queenside.trace(8, limit=100)
    assert (len(cut), cut.end) == (100, "limit")
    assert "cut by the limit of 100 events" in str(cut)
    assert queenside.trace(4, limit=None).end == "first"
    assert queenside.trace(3).end == "complete"


def test_a_notebook_steps_through_a_trace() -> None:
    bundle = queenside.trace(4)._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=")
    assert "&lt;!doctype html" in bundle["text/html"]
    # Too long for a page, and too large for its style: the board is left.
    assert "text/html" not in queenside.trace(9, until="all", limit=60_000)._repr_mimebundle_()
    assert "text/html" not in queenside.trace(9, style="box")._repr_mimebundle_()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"n": 9, "style": "box"}, "style box is drawn up to N = 8, not 9; try the style tuple"),
        ({"n": 40, "style": "bits"}, "style bits supports N up to 32, not 40"),
        ({"n": 4, "style": "prose"}, 'no trace style is called "prose"; there are tuple, '),
        ({"n": 4, "until": "never"}, 'no end of a trace is called "never"'),
        ({"n": 4, "limit": -1}, "the number cannot be negative"),
    ],
)
def test_a_trace_that_cannot_be_says_why(arguments: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match=".") as caught:
        queenside.trace(**arguments).text()  # type: ignore[arg-type]
    assert line in str(caught.value)


def test_a_trace_too_large_for_its_style_still_has_a_text() -> None:
    steps = queenside.trace(9, style="box")
    assert str(steps) == repr(steps)


def test_a_trace_too_long_for_a_page_says_what_would_fit() -> None:
    with pytest.raises(ValueError, match=r"set a limit of 50000, or end at the first solution"):
        queenside.trace(9, until="all", limit=60_000).html()


@pytest.mark.parametrize("pruned", [False, True])
def test_trees_are_those_of_the_command(pruned: bool) -> None:
    tree = queenside.tree(4)
    options = ["--pruned"] if pruned else []
    assert tree.text(pruned=pruned) == queens("tree", "4", *options)
    assert tree.dot(pruned=pruned) == queens("tree", "4", "--format", "dot", *options)
    assert tree.svg(pruned=pruned) == queens("tree", "4", "--format", "svg", *options)
    assert json.loads(tree.json(pruned=pruned)) == json.loads(
        queens("tree", "4", "--format", "json", *options)
    )


def test_nodes_are_partial_solutions() -> None:
    tree = queenside.tree(5)
    nodes = tree.nodes
    assert len(tree) == len(nodes) == sum(tree.levels)
    assert nodes[0].columns == ()
    assert nodes[0].solutions == 10
    for node in nodes:
        for child in node.children:
            assert nodes[child].columns[:-1] == node.columns
        assert node.solutions == sum(nodes[child].solutions for child in node.children) + (
            node.kind == "solution"
        )
    found = [node.columns for node in nodes if node.kind == "solution"]
    assert found == [solution.columns for solution in queenside.solutions(5)]
    assert tree == queenside.tree(5) != queenside.tree(5, depth=2)
    with pytest.raises(ValueError, match="too many for this format; try depth "):
        queenside.tree(8).svg()


def test_estimates_hold_the_truth_and_can_be_repeated() -> None:
    estimate = queenside.approximate(18, runs=32, seed=2)
    assert estimate.low < 666_090_624 < estimate.high
    assert float(estimate) == estimate.value
    assert estimate.ln_low < estimate.ln < estimate.ln_high
    again = queenside.approximate(18, runs=32, seed=2, threads=1)
    assert (again.ln, str(again)) == (estimate.ln, str(estimate))
    assert queenside.approximate(18, runs=32, seed=3).ln != estimate.ln
    timed = queenside.approximate(18, seconds=0.1)
    assert timed.runs >= 8
    huge = queenside.approximate(300, runs=8, method="annealing")
    assert huge.value == float("inf") or huge.value > 1e300
    assert huge.asymptotic_ln < huge.ln
    assert "solutions for n = 300, between" in str(huge)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"n": 3}, "boards from n = 4 to 1000 can be estimated, not 3"),
        ({"n": 8, "runs": 7}, "at least 8 runs are needed"),
        ({"n": 8, "seconds": 0}, "seconds must be a number above 0"),
        ({"n": 8, "seconds": float("nan")}, "seconds must be a number above 0"),
        ({"n": 200, "method": "rows"}, "method rows estimates boards up to n = 128, not 200"),
        ({"n": 8, "method": "guess"}, 'no method is called "guess"; there are rows, annealing'),
    ],
)
def test_what_cannot_be_estimated_says_why(arguments: dict[str, object], line: str) -> None:
    with pytest.raises(ValueError, match="^" + line):
        queenside.approximate(**arguments)  # type: ignore[arg-type]


def test_published_counts_are_looked_up() -> None:
    assert [known.n for known in queenside.known()] == list(range(28))
    row = queenside.known(27)
    assert row is not None
    assert row.all == 234_907_967_154_122_528
    assert row == queenside.known()[27]
    assert queenside.known(28) is None
    for sequence in ("all", "fundamental", "half-turn", "quarter-turn", "torus"):
        assert len(queenside.known(sequence=sequence)) > 10
    with pytest.raises(ValueError, match="give n or sequence, not both"):
        queenside.known(8, sequence="all")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match='no sequence is called "primes"'):
        queenside.known(sequence="primes")  # type: ignore[call-overload]


def test_a_campaign_is_read(tmp_path: Path) -> None:
    file = tmp_path / "q12.campaign"
    queens("campaign", "new", "12", file)
    campaign = queenside.Campaign(file)
    assert campaign.path == file
    status = campaign.status()
    assert (status["n"], status["done"], status["share"]) == (12, 0, 0.0)
    assert status["missing"] == status["units"] > 0
    with pytest.raises(RuntimeError, match="missing"):
        campaign.result()
    queens("campaign", "run", file, "--threads", "2")
    status = campaign.status()
    assert (status["missing"], status["share"]) == (0, 1.0)
    assert sum(device["units"] for device in status["devices"]) == status["units"]
    result = campaign.result()
    assert result["count"] == 14_200
    printed = json.loads(queens("campaign", "result", file, "--json"))
    assert result["ledger_digest"] == printed["ledger_digest"]
    assert {name: status[name] for name in ("campaign", "algorithm", "plan_digest")} == {
        name: printed[name] for name in ("campaign", "algorithm", "plan_digest")
    }


def test_what_is_no_campaign_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        queenside.Campaign(tmp_path / "nothing")
    other = tmp_path / "other"
    other.write_text("not a campaign")
    with pytest.raises(RuntimeError, match="is not a campaign") as caught:
        queenside.Campaign(str(other))
    assert "\n" not in str(caught.value)
