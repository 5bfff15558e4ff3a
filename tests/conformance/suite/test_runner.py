from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.suite.evidence import exchanges, trace_of
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import certify, collect_cases
from conformance.suite.selection import Selection
from reports.record import Verdict
from reports.stream import read_run
from targets.base import TargetError
from targets.reference.server import ReferenceTarget
from targets.registry import find_profile, find_target
from tests.conformance import miniatures as mini
from tests.conformance.suite.written import NULL_CASE, judge, judge_target, scenario

if TYPE_CHECKING:
    from pathlib import Path


def test_a_good_device_passes_and_leaves_records_and_evidence(tmp_path: Path) -> None:
    (case,) = judge(tmp_path, mini.good)

    assert (case.id, case.verdict) == ("rfc8166/4.5/it", Verdict.PASS)
    assert case.title == "NULL is served."
    assert [(tmp_path / "out" / name).stat().st_size > 0 for name in case.evidence] == [True, True]
    trace = trace_of(case, tmp_path / "out")
    assert trace is not None
    assert [step.direction for step in exchanges(trace)].count("sent") == 3
    assert case.exchanges == ()
    assert read_run(tmp_path / "out" / "records.jsonl").footer.complete


def test_a_destructive_case_is_run_again_as_one(tmp_path: Path) -> None:
    body = NULL_CASE.replace("@requirement", "@pytest.mark.destructive\n@requirement")

    (case,) = judge(tmp_path, mini.good, body)

    assert case.rerun == "rpcrdma certify miniature --case 'rfc8166/4.5/it' --destructive"


@pytest.mark.parametrize("behave", ["mute", "babbling", "hanging_up", "wrong_xid"])
def test_a_device_that_never_serves_is_refused_before_the_run(tmp_path: Path, behave: str) -> None:
    with pytest.raises(TargetError, match="does not serve a good call before the case"):
        judge(tmp_path, getattr(mini, behave))


@pytest.mark.parametrize(
    ("behave", "actual", "then"),
    [
        ("mute", "nothing within 5 s", Verdict.INCONC),
        ("babbling", "no transport header", Verdict.FAIL),
        ("hanging_up", "the connection ended", Verdict.INCONC),
        ("wrong_xid", "xid 0x00000001", Verdict.FAIL),
    ],
)
def test_a_device_that_turns_bad_in_a_case_fails_it_and_later_cases_are_inconclusive(
    tmp_path: Path, behave: str, actual: str, then: Verdict
) -> None:
    """The first of them fails as well where it is answered, before it begins, as it must not be."""
    body = NULL_CASE + NULL_CASE.replace("test_it", "test_then")
    body += NULL_CASE.replace("test_it", "test_last")

    # Messages: one before the run, one before the case.
    first, second, last = judge(tmp_path, mini.AfterGood(2, getattr(mini, behave)), body)

    assert (first.verdict, second.verdict, last.verdict) == (Verdict.FAIL, then, Verdict.INCONC)
    assert actual in first.actual
    assert "does not serve a good call before the case" in second.reason
    assert first.rerun == "rpcrdma certify miniature --case 'rfc8166/4.5/it'"


def test_a_device_that_stops_serving_after_a_case_fails_that_case(tmp_path: Path) -> None:
    (case,) = judge(tmp_path, mini.AfterGood(3, mini.mute))

    assert case.verdict is Verdict.FAIL
    assert "After the case the device does not serve" in case.reason


@pytest.mark.parametrize("door", list(mini.Door)[1:])
def test_a_device_that_lets_nobody_in_is_refused_in_bounded_time(
    tmp_path: Path, door: object
) -> None:
    target = mini.MiniatureTarget(mini.good, door)

    with pytest.raises(TargetError, match="does not serve a good call before the case"):
        judge_target(tmp_path, target)

    assert target.session.restarts == 1
    assert target.session.fabric.clock.now() <= 2 * (5.0 + 5.0)  # twice: connect, one answer


def test_answers_given_twice_fail_every_case_and_lose_no_record(tmp_path: Path) -> None:
    run, seconds = judge_target(tmp_path, mini.MiniatureTarget(mini.twice))

    assert [case.verdict for case in run.cases] == [Verdict.FAIL] * 3
    assert {case.violated for case in run.cases} == {("rfc8166.2.2.2.reply-xid-is-the-calls",)}
    assert (run.footer.complete, run.footer.cases) == (True, 3)
    assert seconds < 0.01  # nothing was waited for


def test_a_device_that_dies_fails_the_case_and_serves_the_next_when_started_again(
    tmp_path: Path,
) -> None:
    # One message before the run, one before the case, and the case's own kills it.
    run, _ = judge_target(tmp_path, mini.MiniatureTarget(mini.good, dies_after=3))

    first, *others = run.cases
    assert (first.verdict, first.actual) == (Verdict.FAIL, "the connection ended (by the device)")
    assert [case.verdict for case in others] == [Verdict.PASS] * 2
    assert run.footer.complete


def test_a_device_that_dies_after_a_case_fails_that_case(tmp_path: Path) -> None:
    body = '''
    @requirement("rfc8166.3.3.1.grant-is-never-zero")
    def test_it(peer):
        """A call whose answer nobody awaits."""
        peer.send(build.null_call(peer))
        peer.receive()
    '''
    run, _ = judge_target(tmp_path, mini.MiniatureTarget(mini.good, dies_after=3), body)

    (case,) = run.cases
    assert case.verdict is Verdict.FAIL
    assert case.reason == "The device died: killed by signal 11."


def test_a_device_that_dies_for_good_leaves_a_whole_record(tmp_path: Path) -> None:
    # Three messages a case, one before the run: the second case's own kills it.
    target = mini.MiniatureTarget(mini.good, dies_after=6, revives=False)
    run, seconds = judge_target(tmp_path, target)

    verdicts = [case.verdict for case in run.cases]
    assert verdicts == [Verdict.PASS, Verdict.FAIL, Verdict.INCONC]
    assert "it cannot be started again" in run.cases[-1].reason
    assert [case.id for case in run.cases] == list(run.header.planned)
    assert (run.footer.complete, run.footer.cases) == (True, 3)
    assert seconds <= 5.0


def test_our_own_fault_is_an_error_and_never_the_device_s(tmp_path: Path) -> None:
    body = '''
    @requirement("rfc8166.3.3.1.grant-is-never-zero")
    def test_it(peer):
        """We stumble."""
        raise KeyError("ours")
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert (case.verdict, case.reason) == (Verdict.ERROR, "KeyError: 'ours'")


def test_a_broken_should_is_a_warning(tmp_path: Path) -> None:
    body = '''
    @requirement("rfc8166.4.5.2.unparsable-arguments-get-garbage-args")
    def test_it(peer):
        """A recommendation."""
        verify.that(False, "it is recommended", actual="it is not")
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert case.verdict is Verdict.WARN
    assert case.violated == ("rfc8166.4.5.2.unparsable-arguments-get-garbage-args",)


def test_a_tolerated_outcome_is_a_warning(tmp_path: Path) -> None:
    body = '''
    @requirement("rfc8166.3.3.1.grant-is-never-zero")
    def test_it(peer):
        """An answer where an error is recommended."""
        call = build.null_call(peer)
        peer.send(call)
        verify.expect(peer, call, ErrChunk, tolerated=(Answered,))
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert case.verdict is Verdict.WARN


@pytest.mark.parametrize("need", ["cancels", "xmtreq"])
def test_what_is_not_claimed_is_not_applicable(tmp_path: Path, need: str) -> None:
    body = f'''
    @requirement("rfc8166.3.3.1.grant-is-never-zero", needs=("{need}",))
    def test_it(peer):
        """Needs a claim."""
    '''
    target = mini.MiniatureTarget(mini.good)
    claims = msgspec.structs.replace(target.profile.claims, operations=("connprop",))
    target.profile = msgspec.structs.replace(target.profile, claims=claims)

    run, _ = judge_target(tmp_path, target, body)

    (case,) = run.cases
    assert case.verdict is Verdict.NA
    assert case.reason == f"the profile does not claim `{need}`"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('@requirement("rfc8166.9.nothing")\ndef test_it(peer): ...', "no requirement rfc8166.9"),
        ("def test_it(peer): ...", "cites no requirement"),
        ("import nowhere", "nowhere"),
    ],
)
def test_a_wrong_scenario_refuses_to_start(tmp_path: Path, body: str, problem: str) -> None:
    with pytest.raises(SuiteError, match=problem):
        judge(tmp_path, mini.good, body)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(document="rfc8166"),
        Selection(section="4.5"),
        Selection(cases=("rfc8166/4.5/it",)),
        Selection(document="rfc8166,v2", section="4"),
    ],
)
def test_scenario_files_without_a_wanted_case_are_not_read(
    tmp_path: Path, selection: Selection
) -> None:
    scenarios = tmp_path / "scenarios"
    scenarios.mkdir()
    (scenarios / "bidir" / "both").mkdir(parents=True)
    (scenarios / "bidir" / "both" / "test_5_unreadable.py").write_text("import nowhere")
    scenario(scenarios, NULL_CASE)

    target = mini.MiniatureTarget(mini.good)
    run = certify(target, selection, tmp_path / "out", scenarios_folder=scenarios)

    assert run.header.planned == ("rfc8166/4.5/it",)


def test_two_cases_of_one_id_refuse_to_start(tmp_path: Path) -> None:
    scenario(tmp_path, NULL_CASE, "test_4_5_one.py")
    scenario(tmp_path, NULL_CASE, "test_4_5_two.py")

    with pytest.raises(SuiteError, match=r"case rfc8166/4\.5/it exists twice"):
        collect_cases(tmp_path)


def test_a_case_whose_name_selects_another_refuses_to_start(tmp_path: Path) -> None:
    parametrised = '@pytest.mark.parametrize("x", [b"", b"a"], ids=bytes.hex)' + NULL_CASE
    scenario(tmp_path, parametrised.replace("(peer)", "(peer, x)"))

    with pytest.raises(
        SuiteError, match=r"4\.5/it cannot be selected without rfc8166/4\.5/it\[61\]"
    ):
        collect_cases(tmp_path)


@pytest.mark.long
def test_the_reference_passes_the_whole_suite(tmp_path: Path) -> None:
    run = certify(find_target("reference"), Selection(), tmp_path)

    assert {case.verdict for case in run.cases} <= {Verdict.PASS, Verdict.NA}
    assert run.footer.complete


@pytest.mark.long
@pytest.mark.parametrize(
    ("versions", "passes", "is_not_tested"),
    [
        ((1,), "v2/5.2/one-only-responder", "v2/5.1/responder-answers"),
        ((2,), "v2/5.1/responder-answers", "v2/5.2/one-only-responder"),
    ],
)
def test_the_reference_passes_with_one_version_alone(
    tmp_path: Path, versions: tuple[int, ...], passes: str, is_not_tested: str
) -> None:
    profile = find_profile("reference")
    claims = msgspec.structs.replace(profile.claims, versions=versions)
    target = ReferenceTarget(msgspec.structs.replace(profile, claims=claims))

    run = certify(target, Selection("v2"), tmp_path)

    verdicts = {case.id: case.verdict for case in run.cases}
    assert set(verdicts.values()) == {Verdict.PASS, Verdict.NA}
    assert all(verdicts[one] is Verdict.PASS for one in verdicts if one.startswith(passes))
    assert all(verdicts[one] is Verdict.NA for one in verdicts if one.startswith(is_not_tested))
