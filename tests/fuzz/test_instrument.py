from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from fuzz import instrument
from fuzz.instrument import Blocks, _functions, _put_off
from rpcrdma.endpoint.responder.call_rules import IncomingCall

if TYPE_CHECKING:
    from types import CodeType, FunctionType

SOURCE = """
def larger(first, second=5, *, least=0):
    while first < least:
        first += 1
    return first if first > second else second

def pairs(count):
    yield from ((number, [number for _ in range(2)]) for number in range(count))

def refuse():
    try:
        raise KeyError("no")
    finally:
        done.append(1)

done = []

def compared(number):
    small = number == 7, number < 255, number >= 0
    return small, number == 1000, number == larger, number != -1
"""


def made(name: str) -> tuple[Any, list[bytearray]]:
    """A function of `SOURCE` that counts once it is called, and its counters."""
    space: dict[str, Any] = {}
    exec(compile(SOURCE, "<test>", "exec"), space)
    function: FunctionType = space[name]
    memories: list[bytearray] = []
    _put_off(function, Blocks(memories.append))
    return function, memories


def test_a_function_that_counts_does_what_it_did() -> None:
    larger, _ = made("larger")

    assert [larger(1), larger(9), larger(1, 2, least=4), larger(second=3, first=1)] == [5, 9, 4, 3]


def test_comprehensions_and_generators_count_as_well() -> None:
    pairs, memories = made("pairs")

    assert list(pairs(2)) == [(0, [0, 0]), (1, [1, 1])]
    assert sum(map(bool, memories[0])) > 3


def test_exceptions_pass() -> None:
    refuse, _ = made("refuse")

    for _ in range(2):
        with pytest.raises(KeyError):
            refuse()


def test_nothing_is_instrumented_before_it_is_called() -> None:
    larger, memories = made("larger")
    assert memories == []

    larger(1)
    assert any(memories[0])


def test_a_block_counts_how_often_it_began_up_to_what_a_byte_holds() -> None:
    larger, memories = made("larger")
    larger(0)
    memories[0][:] = bytes(len(memories[0]))

    larger(0, least=3)
    few = max(memories[0])
    larger(0, least=300)

    assert few in (3, 4)
    assert max(memories[0]) == 255


def test_other_ways_through_a_function_count_elsewhere() -> None:
    larger, memories = made("larger")

    def reached(first: int) -> set[int]:
        memories[0][:] = bytes(len(memories[0]))
        larger(first)
        return {place for place, times in enumerate(memories[0]) if times}

    larger(1)
    assert reached(1) != reached(9)
    assert reached(1) == reached(2)


def test_more_blocks_than_fit_into_a_piece_of_memory_get_another() -> None:
    blocks = Blocks(lambda memory: None)
    taken = [blocks.take() for _ in range(4097)]

    assert len(blocks.memories) == 2
    assert taken[4095] == (blocks.memories[0], 4095)
    assert taken[4096][0] is blocks.memories[1]
    assert taken[4096][1] == 0


def test_a_comparison_is_told_of_unless_chance_finds_its_constant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[object] = []

    def note(constant: object, value: object, *_how: object) -> bool:
        told.append(constant if constant != 5 else value)
        return False

    compared, _ = made("compared")
    monkeypatch.setattr("atheris._trace_cmp", note)

    assert compared(5)[0] == (False, True, True)
    assert told[0] == 1000
    assert told[2] == -1
    assert len(told) == 3


@pytest.mark.parametrize("name", ["larger", "pairs", "compared"])
def test_a_function_that_counts_takes_hardly_more_of_the_stack(name: str) -> None:
    function, _ = made(name)
    before: list[int] = []

    def note(code: CodeType, blocks: Blocks) -> CodeType:
        before.append(code.co_stacksize)
        return counting(code, blocks)

    counting = instrument._counting
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instrument, "_counting", note)
        function(1)

    assert 0 < function.__code__.co_stacksize - before[0] < 10


def test_methods_that_a_dataclass_gets_do_not_count() -> None:
    names = {function.__qualname__ for function in _functions()}

    assert IncomingCall.__init__.__code__.co_filename == "<string>"
    assert "IncomingCall.__init__" not in names
    assert "CallRules.decode" in names


def test_the_library_works_when_all_of_it_counts() -> None:
    program = (
        "from fuzz.registry import corpus_of, find_harness\n"
        "from fuzz.instrument import Blocks, instrument_library\n"
        "harness = find_harness('v1-responder')\n"
        "memories = []\n"
        "instrument_library(Blocks(memories.append))\n"
        "for path in sorted(corpus_of('v1-responder').iterdir())[:30]:\n"
        "    harness.check(path.read_bytes(), harness.reference())\n"
        "print(sum(map(bool, b''.join(memories))))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert int(ran.stdout) > 500
