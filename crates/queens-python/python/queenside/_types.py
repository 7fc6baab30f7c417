"""The records that functions return: named tuples, so that they compare, print and pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from ._queenside import Attack


class Engine(NamedTuple):
    """A way to count; see engines."""

    name: str
    summary: str
    source: str
    largest_n: int
    sensible_n: int
    is_parallel: bool


class Device(NamedTuple):
    """A GPU; see devices."""

    number: int
    name: str
    memory: int


class Event(NamedTuple):
    """A step of the search; see Trace."""

    kind: str
    row: int | None
    column: int | None
    attack: Attack | None
    blocked: bool
    solutions: int | None


class Stats(NamedTuple):
    """How many steps of each kind there were; see Trace.stats."""

    events: int
    tried: int
    placements: int
    dead_ends: int
    undos: int
    solutions: int
    levels: tuple[int, ...]


class Node(NamedTuple):
    """A partial solution; see Tree.nodes."""

    columns: tuple[int | None, ...]
    kind: str
    children: tuple[int, ...]
    refused: tuple[Attack, ...]
    blocked: tuple[int, ...]
    solutions: int


class Known(NamedTuple):
    """The published counts for one size of board; see known."""

    n: int
    all: int
    fundamental: int
    half_turn: int
    quarter_turn: int
    source: str


class DeviceShare(TypedDict):
    """What one device did of a campaign."""

    device: str
    units: int
    share: float
    seconds: float


class Status(TypedDict):
    """How far a campaign is; see Campaign.status."""

    campaign: str
    n: int
    algorithm: str
    plan_digest: str
    created: str
    units: int
    done: int
    missing: int
    share: float
    rate: float
    recounts: int
    disputed: int
    devices: list[DeviceShare]


class Result(TypedDict):
    """The count of a campaign; see Campaign.result."""

    n: int
    count: int
    units: int
    recounted_units: int
    ledger_digest: str
    plan_digest: str
    algorithm: str
    campaign: str
