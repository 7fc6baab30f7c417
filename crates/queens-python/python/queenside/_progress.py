"""What progress=True shows: a bar of tqdm if it is installed, otherwise one of our own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

WIDTH = 30


class Bar(Protocol):
    """Something that is told the share of the work done, from 0 to 1."""

    def __call__(self, share: float) -> None: ...

    def close(self) -> None: ...


class TextBar:
    """A line that is written over and over, in terminals and in notebooks."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = ""

    def __call__(self, share: float) -> None:
        share = min(max(share, 0.0), 1.0)
        full = "#" * int(share * WIDTH)
        line = f"{self._title} [{full:<{WIDTH}}] {100 * share:5.1f} %"
        if line != self._shown:
            self._shown = line
            sys.stderr.write("\r" + line)
            sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()


class TqdmBar:
    """A bar of tqdm, in steps of a thousandth."""

    def __init__(self, tqdm: Callable[..., Any], title: str) -> None:
        form = "{desc}: {percentage:5.1f} %|{bar}| {elapsed}<{remaining}"
        self._bar = tqdm(total=1000, desc=title, bar_format=form)

    def __call__(self, share: float) -> None:
        step = round(1000 * min(max(share, 0.0), 1.0)) - self._bar.n
        if step > 0:
            self._bar.update(step)

    def close(self) -> None:
        self._bar.close()


def bar(title: str) -> Bar:
    """The bar that suits what is installed and where it is shown."""
    try:
        # A notebook has widgets, if they are installed. tqdm would complain if not.
        if "ipykernel" in sys.modules and find_spec("ipywidgets"):
            return TqdmBar(import_module("tqdm.notebook").tqdm, title)
        return TqdmBar(import_module("tqdm").tqdm, title)
    except ImportError:
        return TextBar(title)
