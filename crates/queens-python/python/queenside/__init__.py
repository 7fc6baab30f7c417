"""N-Queens: place n queens on an n by n board so that none attacks another.

How many ways are there? Which are they?

>>> import queenside
>>> queenside.count(12)
14200
>>> queenside.first(8)
Solution((0, 4, 7, 5, 2, 6, 1, 3))
>>> for solution in queenside.solutions(4):
...     print(solution.columns)
(1, 3, 0, 2)
(2, 0, 3, 1)

Rows and columns count from 0. In a notebook, boards, trees and traces are pictures.

Counting: count, approximate, known, engines, devices, Campaign.
Solutions: solutions, fundamental, first, solve, random, sample, check.
The search: trace, tree.
Types: Solution, Placement, Board, and what the functions above return.
"""

from collections.abc import Sequence as _Sequence

from ._queenside import (
    Attack,
    Board,
    Campaign,
    Estimate,
    Placement,
    Report,
    Solution,
    Solutions,
    Trace,
    Tree,
    __version__,
    approximate,
    check,
    count,
    devices,
    engines,
    first,
    fundamental,
    known,
    random,
    sample,
    solutions,
    solve,
    trace,
    tree,
)
from ._types import Device, Engine, Event, Known, Node, Stats

__all__ = [
    "Attack",
    "Board",
    "Campaign",
    "Device",
    "Engine",
    "Estimate",
    "Event",
    "Known",
    "Node",
    "Placement",
    "Report",
    "Solution",
    "Solutions",
    "Stats",
    "Trace",
    "Tree",
    "__version__",
    "approximate",
    "check",
    "count",
    "devices",
    "engines",
    "first",
    "fundamental",
    "known",
    "random",
    "sample",
    "solutions",
    "solve",
    "trace",
    "tree",
]

_Sequence.register(Solution)
