"""What is put back is as it was, and behaves as what is new."""

from __future__ import annotations

import sys
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from fuzz.harnesses import v1_responder, v2_requester
from fuzz.registry import corpus_of
from fuzz.requester_executor import RequesterExecutor
from fuzz.responder_executor import ResponderExecutor
from fuzz.sequence import split
from fuzz.snapshot import CannotKeepError, Kept, Snapshot
from rpcrdma.endpoint.requester.requester import Requester

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from fuzz.executor import Executor


class Slotted:
    __slots__ = ("later", "number")

    def __init__(self) -> None:
        self.number = 1


@dataclass(frozen=True)
class Fixed:
    contents: list[int]


@dataclass
class Everything:
    """One of each kind that a role is made of."""

    number: int = 1
    listed: list[int] = field(default_factory=lambda: [1, 2])
    named: dict[str, list[int]] = field(default_factory=lambda: {"a": [1], "b": []})
    chosen: set[int] = field(default_factory=lambda: {1})
    queued: deque[int] = field(default_factory=lambda: deque((1, 2), maxlen=3))
    memory: bytearray = field(default_factory=lambda: bytearray(b"as it was"))
    slotted: Slotted = field(default_factory=Slotted, compare=False)
    fixed: Fixed = field(default_factory=lambda: Fixed([1]))


def changed(thing: Everything) -> None:
    thing.number = 2
    thing.listed += [3]
    thing.named["b"].append(7)
    thing.named.update(c=[8], a=[9])
    thing.chosen.clear()
    thing.queued.extend((3, 4))
    thing.memory[:2] = b"is"
    thing.slotted.number = 5
    thing.fixed.contents.clear()
    vars(thing)["more"] = 1


def test_all_that_an_object_leads_to_is_put_back_in_place() -> None:
    thing = Everything()
    held = thing.named["b"]
    snapshot = Snapshot(thing)

    for _ in range(2):
        changed(thing)
        assert held == [7]
        snapshot.restore()

        assert thing == Everything()
        assert vars(thing).keys() == vars(Everything()).keys()
        assert thing.slotted.number == 1
        assert thing.named["b"] is held == []


def test_a_mapping_gets_its_order_back() -> None:
    thing = {"a": 1, "b": 2}
    snapshot = Snapshot(thing)
    del thing["a"]
    thing["a"] = 1

    snapshot.restore()

    assert list(thing) == ["a", "b"]


EMPTY: list[tuple[Any, Callable[[int], object]]] = [
    (listed := list[int](), listed.append),
    (named := dict[int, int](), named.setdefault),
    (chosen := set[int](), chosen.add),
    (queued := deque[int](), queued.append),
]


@pytest.mark.parametrize(("empty", "add"), EMPTY)
def test_what_was_empty_is_so_again(empty: object, add: Callable[[int], object]) -> None:
    snapshot = Snapshot((empty,))
    add(1)
    assert empty

    snapshot.restore()

    assert not empty


def test_attributes_that_are_gone_come_back_and_others_go() -> None:
    thing = Everything()
    snapshot = Snapshot(thing)
    del thing.number
    vars(thing)["more"] = 1

    snapshot.restore()

    assert vars(thing).keys() == vars(Everything()).keys()
    assert thing.number == 1


def test_what_functions_hold_is_put_back() -> None:
    taken = 0

    def take(seen: list[int]) -> int:
        nonlocal taken
        taken += 1
        seen.append(taken)
        return taken

    held = partial(take, [])
    snapshot = Snapshot((held, Slotted().__init__))
    assert [held(), held()] == [1, 2]

    snapshot.restore()

    assert held() == 1
    assert held.args == ([1],)


@pytest.mark.parametrize("thing", [count(), iter([1]), Random(1), (one for one in "a")])
def test_what_hides_its_state_is_refused(thing: object) -> None:
    with pytest.raises(CannotKeepError):
        Snapshot([thing])


def test_what_can_be_put_back_is_made_once() -> None:
    made: list[list[int]] = []

    def make() -> list[int]:
        made.append([])
        return made[-1]

    kept = Kept(make)
    for _ in range(3):
        fresh = kept.fresh()
        assert fresh == []
        fresh.append(1)
    assert len(made) == 1


def test_what_cannot_be_put_back_is_made_each_time() -> None:
    kept = Kept(lambda: [count(5)])

    assert [next(kept.fresh()[0]) for _ in range(3)] == [5, 5, 5]


EXECUTORS: dict[str, tuple[Callable[[], Executor[Any]], int]] = {
    "v1-responder": (lambda: ResponderExecutor(v1_responder.reference()), 12),
    "v1-requester": (lambda: RequesterExecutor(Requester), 3),
    "v2-requester": (lambda: RequesterExecutor(v2_requester.reference()), 3),
}


@pytest.mark.parametrize("harness", EXECUTORS)
def test_an_end_that_is_put_back_does_what_a_new_one_does(harness: str) -> None:
    make, step = EXECUTORS[harness]
    kept = make()
    make().run([bytes(1)])  # the endpoint makes some of its actions once for the whole process

    for path in sorted(corpus_of(harness).iterdir())[::step]:
        sequence = split(path.read_bytes())
        assert traced(kept, sequence) == traced(make(), sequence), path.name


def traced(executor: Executor[Any], sequence: list[bytes]) -> tuple[object, Counter[object]]:
    """What an execution gave, and how often each line of the endpoint ran in it."""
    lines: Counter[object] = Counter()

    def clear(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        if event == "return":  # the end is ready: from here on it counts
            lines.clear()
        return clear

    def note(frame: FrameType, _event: str, _argument: object) -> Callable[..., Any]:
        lines[frame.f_code, frame.f_lineno] += 1
        return note

    def enter(frame: FrameType, _event: str, _argument: object) -> Callable[..., Any] | None:
        if frame.f_code is Kept.fresh.__code__:
            return clear
        return note if "/rpcrdma/endpoint/" in frame.f_code.co_filename else None

    sys.settrace(enter)
    try:
        execution = executor.run(sequence)
    finally:
        sys.settrace(None)
    return execution, lines
