"""Which cases reach a fault: what is recorded, in what order they come, and when it is of use."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from conformance.proof.detect.faults import MadeFault
from conformance.proof.detect.reach import (
    LineRecorder,
    Reach,
    digest_of_code,
    endpoint_files,
    forget_remembered,
    read_reach,
    spread,
    write_reach,
)

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
def one(number):
    if number:
        return [
            each for each in range(number)
        ]
    return None


def other():
    return one(0)
"""
CASES = ("d/1/a", "d/1/b", "d/2/a", "d/3/a")
REACH = Reach(
    "digest",
    dict.fromkeys(CASES, "responder"),
    {"m": {3: [0, 1, 2], 4: [1]}},
    {},
    6.0,
)


def fault(*lines: int, module: str = "m", at_import: bool = False) -> MadeFault:
    return MadeFault("id", module, "f", "compare", "what", lines, at_import, "0123")


def test_lines_belong_to_the_case_that_executes_them(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(SOURCE)
    names: dict[str, object] = {}
    exec(compile(SOURCE, str(path), "exec"), names)
    one, other = names["one"], names["other"]
    assert callable(one)
    assert callable(other)
    recorder = LineRecorder([("planted", str(path))])

    with recorder:
        one(1)  # belongs to nobody
        recorder.begin("a")
        one(2)
        recorder.begin("b")
        other()

    found = recorder.lines(["b", "a", "c"])["planted"]
    assert {line: cases for line, cases in found.items() if line != 4} == {
        1: [0, 1],
        2: [0, 1],
        3: [1],
        6: [0],
        9: [0],
        10: [0],
    }
    assert found[4] == [1]


REMEMBERING = """\
from functools import lru_cache

@lru_cache
def one(number):
    return [number]

class Some:
    @staticmethod
    @lru_cache
    def other(number):
        return [number]
"""


def test_what_functions_remember_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = ModuleType("planted")
    exec(REMEMBERING, vars(planted))
    monkeypatch.setitem(sys.modules, "planted", planted)
    functions = planted.one, planted.Some.other
    before = [function(1) for function in functions]
    assert all(function(1) is old for function, old in zip(functions, before, strict=True))

    forget_remembered(["planted", "of.nobody"])

    assert all(function(1) is not old for function, old in zip(functions, before, strict=True))


def test_a_fault_is_reached_by_the_cases_of_its_lines() -> None:
    assert REACH.cases(fault(4)) == ("d/1/b",)
    assert REACH.cases(fault(4, 5)) == ("d/1/b",)
    assert REACH.cases(fault(5)) == ()
    assert REACH.cases(fault(3, module="other")) == ()


def test_cases_of_each_section_come_first() -> None:
    assert REACH.cases(fault(3)) == ("d/1/a", "d/2/a", "d/1/b")
    assert spread(["1/a", "1/b", "1/c", "2/a", "2/b", "3/a"]) == (
        "1/a",
        "2/a",
        "3/a",
        "1/b",
        "2/b",
        "1/c",
    )


def test_what_happens_at_import_may_show_in_any_case() -> None:
    assert REACH.cases(fault(1, at_import=True)) == ("d/1/a", "d/2/a", "d/1/b", "d/3/a")


def test_a_record_is_of_use_for_its_code_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    write_reach(REACH, path)

    assert read_reach(path, "digest") == REACH
    assert read_reach(path, "other") is None
    assert read_reach(tmp_path / "none.json", "digest") is None


@pytest.mark.parametrize("text", ["", '{"digest": "digest"', "[]"])
def test_half_a_record_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lines.json"
    path.write_text(text)

    assert read_reach(path, "digest") is None


def test_the_digest_is_the_same_for_the_same_code() -> None:
    assert digest_of_code() == digest_of_code()


def test_the_endpoint_is_looked_at_alone() -> None:
    assert {name.rpartition(".")[0].split(".")[1] for name, _ in endpoint_files()} == {"endpoint"}
