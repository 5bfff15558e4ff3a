"""A run: faults are tried in processes, bounded, resumed, and ended cleanly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.proof.detect import run
from conformance.proof.detect.faults import ENDPOINT
from conformance.proof.detect.reach import Reach, digest_of_code, write_reach
from conformance.proof.detect.results import Fate, read_results
from conformance.proof.detect.run import FAULTS, LINES, Plan, find_faults, try_all

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.proof.detect.results import Tried

CREDITS = f"{ENDPOINT}.core.credits"
CASES = (
    "rfc8166/3.3.1/responder-never-grants-zero-credits[0]",
    "rfc8166/3.3.1/responder-never-grants-zero-credits[1]",
)

HANGS = "`return self.wait(0.0)` becomes `return True`"
"""A client that always says there was something to do."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With lines of two cases that are said to execute all there is in one module."""
    write_reach(
        Reach(
            digest_of_code(),
            dict.fromkeys(CASES, "responder"),
            {CREDITS: {line: [0, 1] for line in range(1, 100)}},
            {},
            6.0,
        ),
        tmp_path / LINES,
    )
    return tmp_path


def no_recording() -> None:
    pytest.fail("the lines are there")


def identity(under: str, what: str) -> str:
    (found,) = (fault.id for fault in find_faults(under) if fault.what == what)
    return found


@pytest.mark.long
def test_faults_are_found_where_the_cases_look(folder: Path) -> None:
    """Of the arithmetic of credits, these cases see that no grant is zero."""
    found, spared = (
        identity(CREDITS, what)
        for what in (
            "`return max(1, min(max(requested, 1), posted))` becomes `return 0`",
            "`self.granted = value or 1` becomes `self.granted = value`",
        )
    )

    tried = {one.id: one for one in run._tried([found, spared], folder / LINES, 2)}

    assert tried[found].outcome is Fate.NAMED
    assert tried[found].violated == ("rfc8166.3.3.1.grant-is-never-zero",)
    assert tried[found].case == CASES[0]
    assert (tried[spared].outcome, tried[spared].ran) == (Fate.SURVIVED, 2)
    assert (tried[found].seen, tried[spared].seen) == (None, 0)


@pytest.mark.long
def test_a_run_goes_on_where_it_ended(folder: Path) -> None:
    first: list[str] = []
    later: list[str] = []

    def stop(one: Tried, done: int, _: int) -> None:
        first.append(one.id)
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try_all(Plan(folder, size=3, under=CREDITS), stop, no_recording)
    _, tried = try_all(
        Plan(folder, size=3, under=CREDITS),
        lambda one, done, size: later.append(one.id),
        no_recording,
    )

    assert first + later == [one.id for one in tried]
    assert (len(first), len(later)) == (1, 2)
    assert {one.id for one in read_results(folder / FAULTS)[1]} == {*first, *later}


def test_a_fault_that_no_case_reaches_is_not_tried(folder: Path) -> None:
    module = f"{ENDPOINT}.ends.reconnecting"
    unreached = identity(module, HANGS)

    (tried,) = run._tried([unreached], folder / LINES, 1)

    assert (tried.outcome, tried.cases, tried.ran) == (Fate.UNREACHED, 0, 0)


def test_a_device_that_never_returns_is_hung(tmp_path: Path) -> None:
    module = f"{ENDPOINT}.ends.reconnecting"
    case = "rfc8166/3.3.1/requester-keeps-within-the-grant[1]"
    hangs = next(fault for fault in find_faults(module) if fault.what == HANGS)
    lines = {module: {line: [0] for line in hangs.lines}}
    write_reach(Reach(digest_of_code(), {case: "requester"}, lines, {}, 0.5), tmp_path / LINES)

    (tried,) = run._tried([hangs.id], tmp_path / LINES, 1)

    assert tried.outcome is Fate.HUNG
    assert "0 s" in tried.reason


def test_lines_are_recorded_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[str] = []

    def record(path: Path) -> None:
        recorded.append(path.name)
        raise BadInput("enough")

    monkeypatch.setattr(run, "_record", record)

    with pytest.raises(BadInput, match="enough"):
        try_all(
            Plan(tmp_path, size=1),
            lambda *_: None,
            lambda: recorded.append("said"),
        )

    assert recorded == ["said", LINES]


@pytest.mark.parametrize(
    ("under", "problem"),
    [
        ("rpcrdma.wire", "is no module of rpcrdma.endpoint"),
        ("rpcrdma.endpoint.nothing", "no module `rpcrdma.endpoint.nothing`"),
    ],
)
def test_other_modules_are_refused(under: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        find_faults(under)


def test_the_commit_is_named() -> None:
    assert run.commit_of_code()
