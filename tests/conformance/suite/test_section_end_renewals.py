"""A device is started again between cases: because a case has harmed it, or since it is worn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from conformance.tester.client.harness import Harness
from reports.record import Verdict
from targets.base import TargetError
from tests.conformance.embedded import embedded
from tests.conformance.miniatures import MiniatureSession, MiniatureTarget, good
from tests.conformance.suite.written import CASES, NULL_CASE, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from reports.record import RunRecord

FAILING = """
@pytest.mark.destructive
@requirement("rfc8166.3.3.1.grant-is-never-zero")
def test_harmful(peer):
    \"\"\"The device is harmed.\"\"\"
    raise Deviation("Harmed.")
"""


def after_harm(tmp_path: Path, target: MiniatureTarget, body: str = FAILING) -> RunRecord:
    """A harmful case between two good ones."""
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    others = NULL_CASE, NULL_CASE.replace("test_it", "test_z")
    scenario(scenarios, others[0] + body + others[1])
    return certify(
        target, Selection(destructive=True), tmp_path / "out", scenarios_folder=scenarios
    )


def test_a_device_is_started_again_after_a_destructive_case_that_failed(tmp_path: Path) -> None:
    heard: list[int] = []

    def behave(message: bytes) -> list[bytes]:
        heard.append(target.session.restarts)
        return good(message)

    target = MiniatureTarget(behave)
    record = after_harm(tmp_path, target)

    assert [(case.id, case.verdict, case.notes) for case in record.cases] == [
        ("rfc8166/4.5/it", Verdict.PASS, ()),
        ("rfc8166/4.5/harmful", Verdict.FAIL, ()),
        ("rfc8166/4.5/z", Verdict.PASS, ()),
    ]
    assert target.session.restarts == 1
    # One before the run, three of the first case, one of the second; then a good call to see that
    # it serves again, and the three of the last case.
    assert heard == [0] * 5 + [1] * 4


@pytest.mark.parametrize(
    "body",
    [
        FAILING.replace("@pytest.mark.destructive", ""),
        FAILING.replace('raise Deviation("Harmed.")', "pass"),
    ],
    ids=["not-destructive", "not-failed"],
)
def test_no_other_case_has_a_device_started_again(tmp_path: Path, body: str) -> None:
    target = MiniatureTarget(good)
    after_harm(tmp_path, target, body)
    assert target.session.restarts == 0


def test_a_device_that_cannot_be_started_again_is_judged_on_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restart(_self: MiniatureSession) -> None:
        raise TargetError("it cannot be started from here; start it again by hand")

    monkeypatch.setattr(MiniatureSession, "restart", restart)
    record = after_harm(tmp_path, MiniatureTarget(good))

    assert [case.verdict for case in record.cases] == [Verdict.PASS, Verdict.FAIL, Verdict.PASS]
    told = (
        "The device was not started again after rfc8166/4.5/harmful had failed, so this case may"
        " show what is left of that: it cannot be started from here; start it again by hand."
    )
    assert [case.notes for case in record.cases] == [(), (), (told,)]


def test_a_device_that_does_not_serve_after_its_start_is_found_by_the_next_case(
    tmp_path: Path,
) -> None:
    def behave(message: bytes) -> list[bytes]:
        return [] if target.session.restarts else good(message)

    target = MiniatureTarget(behave)
    last = after_harm(tmp_path, target).cases[-1]

    assert last.verdict is Verdict.INCONC
    assert "does not serve a good call before the case: NULL got nothing" in last.reason
    assert "was not started again after rfc8166/4.5/harmful" in last.notes[0]


@pytest.mark.parametrize(("most", "renewed"), [(0, 0), (1, 3), (3, 1), (100, 0)])
def test_a_device_is_started_again_after_as_many_connections_as_its_profile_says(
    tmp_path: Path, most: int, renewed: int
) -> None:
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    scenario(scenarios, CASES)
    target = embedded(tmp_path, "nfs4")
    extra = replace(target.profile.extra, renew_after=most)
    target.profile = replace(target.profile, extra=extra)
    renew, told = Harness.renew, []

    def counted(harness: Harness, *, files_too: bool) -> None:
        told.append(files_too)
        renew(harness, files_too=files_too)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Harness, "renew", counted)
        record = certify(target, Selection(), tmp_path / "out", scenarios_folder=scenarios)

    assert told == [False] * renewed
    assert {case.verdict for case in record.cases} == {Verdict.PASS}
    assert ("started again" in dict(record.header.facts)) == bool(most)
