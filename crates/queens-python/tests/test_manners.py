"""How the package behaves towards Python: Ctrl-C, threads, progress.

Nothing here asserts a time. Work that would take hours must end when it is told to, and a test
that waits for it in vain runs into a limit.
"""

from __future__ import annotations

import io
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import python

import queenside
from queenside import _progress

INTERRUPTED = """
import os, signal, sys, threading, time
import queenside
from queenside import *

def press() -> None:
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

# What a shell runs in the background ignores Ctrl-C, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=press).start()
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
# Afterwards everything goes on as if nothing had happened.
assert queenside.count(12) == 14200
"""


@pytest.mark.parametrize(
    "work",
    [
        "count(27, device='cpu')",
        "count(27, engine='bitmask')",
        "count(20, engine='two-colour-plain')",
        "count(27, threads=1, progress=lambda share: None)",
        "count(27, given=[(0, 3)])",
        "count(31, kind='torus')",
        "count(30, kind='half-turn')",
        "first(64)",
        "first(200)",
        "first(64, blocked=[(0, 0)])",
        "list(fundamental(18))",
        "solutions(19).to_bytes()",
        "sum(1 for solution in solutions(19))",
        "sample(22, 5, method='exact')",
        "sample(500, 10**8)",
        "approximate(500, seconds=1000)",
        "trace(20, until='all', limit=None)",
        # Two rows share two columns, and their queens would always attack each other.
        "solve(30, blocked=[(row, col) for row in (0, 1) for col in range(2, 30)], method='local')",
    ],
)
def test_ctrl_c_ends_what_would_last_for_hours(work: str) -> None:
    assert python(INTERRUPTED.format(work=work))[0] == "interrupted\n"


class Enough(Exception):
    """Raised by a callback that has seen what it waited for."""


def test_another_thread_runs_during_a_count() -> None:
    rounds = 0
    over = threading.Event()

    def go_round() -> None:
        nonlocal rounds
        while not over.is_set():
            rounds += 1
            time.sleep(0)

    def look(share: float) -> None:
        if rounds > 1_000:
            raise Enough

    other = threading.Thread(target=go_round)
    other.start()
    try:
        # If the count held the interpreter, the other thread would never run.
        with pytest.raises(Enough):
            queenside.count(27, device="cpu", threads=1, progress=look)
    finally:
        over.set()
        other.join()


def test_another_thread_runs_during_a_search() -> None:
    rounds = 0
    searching = over = False

    def go_round() -> None:
        nonlocal rounds
        while not over:
            rounds += searching
            time.sleep(0)

    other = threading.Thread(target=go_round)
    interval = sys.getswitchinterval()
    # Python does not switch threads here, so the other one runs only when the search lets it.
    sys.setswitchinterval(1_000)
    try:
        other.start()
        found = queenside.solutions(28)
        searching = True
        next(found)
        searching = False
    finally:
        sys.setswitchinterval(interval)
        over = True
        other.join()
    assert rounds > 0


def test_many_threads_count_and_list_at_the_same_time() -> None:
    sizes = [n for n in range(4, 14) for _ in range(3)]
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(queenside.count, sizes))
        lists = list(pool.map(lambda n: len(list(queenside.solutions(n))), sizes[:-6]))
    expected = [queenside.known(sequence="all")[n] for n in sizes]
    assert counts == expected
    assert lists == expected[:-6]


def test_threads_share_one_iterator_and_each_solution_is_seen_once() -> None:
    shared = queenside.solutions(11)
    refused = "these solutions are being searched by another thread"

    def take() -> list[queenside.Solution]:
        taken = []
        while True:
            try:
                taken.append(next(shared))
            except StopIteration:
                return taken
            except ValueError as error:
                assert str(error) == refused

    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: take(), range(4)))
    seen = sorted(solution for part in parts for solution in part)
    assert seen == list(queenside.solutions(11))


def test_progress_is_told_from_nothing_to_everything() -> None:
    for work in (
        lambda told: queenside.count(15, threads=1, progress=told),
        lambda told: queenside.count(12, given=[(0, 0)], progress=told),
        lambda told: queenside.count(8, progress=told),
        lambda told: queenside.sample(30, 20, progress=told),
        lambda told: queenside.approximate(30, runs=8, progress=told),
    ):
        shares: list[float] = []
        work(shares.append)
        assert shares[-1] == 1.0
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert shares == sorted(shares)


def test_an_exception_in_a_callback_ends_the_count() -> None:
    def complain(share: float) -> None:
        raise Enough("no more")

    with pytest.raises(Enough, match="no more"):
        queenside.count(27, device="cpu", progress=complain)
    for wrong in ("yes", 1):
        # Anything true is a bar; nothing is left of it afterwards.
        assert queenside.count(9, progress=wrong) == 352  # type: ignore[arg-type]


def test_a_bar_is_drawn_with_tqdm_and_without() -> None:
    program = """
import sys
if sys.argv[1] == "without":
    sys.modules["tqdm"] = None
import queenside
assert queenside.count(16, progress=True, engine="mirror") == 14772512
assert queenside.count(9, progress=False) == 352
"""
    _, drawn = python(program, "without")
    assert drawn.startswith("\rcount 16 [")
    assert drawn.endswith("] 100.0 %\n")
    assert drawn.count("\n") == 1
    _, drawn = python(program, "with")
    assert "count 16: 100.0 %|" in drawn


def test_the_text_bar_writes_a_line_only_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    bar = _progress.TextBar("work")
    for share in (0.5, 0.5, 2.0, -1.0):
        bar(share)
    bar.close()
    half, full, empty = "#" * 15 + " " * 15, "#" * 30, " " * 30
    lines = [f"\rwork [{half}]  50.0 %", f"\rwork [{full}] 100.0 %", f"\rwork [{empty}]   0.0 %"]
    assert written.getvalue() == "".join(lines) + "\n"


def test_nothing_is_left_running_after_an_interrupt() -> None:
    python(
        """
import threading, time
import queenside

def threads() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))

def stop(share: float) -> None:
    raise KeyError

before = threads()
for engine in ("two-colour", "mirror", "bitmask"):
    try:
        queenside.count(27, device="cpu", engine=engine, progress=stop)
    except KeyError:
        pass
while threads() > before:
    time.sleep(0.01)
"""
    )
