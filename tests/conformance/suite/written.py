"""Scenario files that tests write, run against miniatures."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.stream import read_run
from tests.conformance import miniatures as mini

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import CaseRecord, RunRecord

HEAD = """
import pytest
from conformance import verify
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, Silent
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate
"""

NULL_CASE = '''
@requirement("rfc8166.3.3.1.grant-is-never-zero")
def test_it(peer):
    """NULL is served."""
    call = build.null_call(peer)
    peer.send(call)
    verify.served(peer, call)
'''


def scenario(folder: Path, body: str, name: str = "test_4_5_title.py") -> Path:
    place = folder / "rfc8166" / "responder"
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(HEAD + textwrap.dedent(body))
    return folder


def judge(tmp_path: Path, behave: object, body: str = NULL_CASE) -> tuple[CaseRecord, ...]:
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    run = certify(
        mini.MiniatureTarget(behave),
        Selection(destructive=True),
        tmp_path / "out",
        scenarios_folder=scenario(scenarios, body),
    )
    return run.cases


CASES = (
    NULL_CASE + NULL_CASE.replace("test_it", "test_then") + NULL_CASE.replace("test_it", "test_z")
)


def judge_target(tmp_path: Path, target: object, body: str = CASES) -> tuple[RunRecord, float]:
    """The run on disk, and how many seconds it took by the device's clock."""
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    scenario(scenarios, body)
    certify(target, Selection(), tmp_path / "out", scenarios_folder=scenarios)
    return read_run(tmp_path / "out" / "records.jsonl"), target.session.fabric.clock.now()
