"""The plugin's way from collected functions to cases, in the suite that is shipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.suite.plugin import Plugin, SuiteError
from conformance.suite.runner import collect_cases
from reports.record import Verdict
from tests.conformance import miniatures as mini
from tests.conformance.suite.written import judge, judge_target

if TYPE_CHECKING:
    from pathlib import Path

CASES = collect_cases()


def test_every_id_is_document_section_and_slug() -> None:
    shape = re.compile(r"[a-z]+\d*/\d+(\.\d+)*/[a-z0-9]+(-[a-z0-9]+)*(\[[^\[\]]+\])?")

    assert [case.id for case in CASES if not shape.fullmatch(case.id)] == []


def test_every_case_has_a_sentence_for_a_title() -> None:
    assert [case.id for case in CASES if not case.title.endswith(".")] == []


def test_every_case_cites_something_that_binds_its_role() -> None:
    catalogue = load_catalogue()
    strange = [
        case.id
        for case in CASES
        if not any(
            case.role in {role.value for role in catalogue[requirement].binds}
            for requirement in case.requirements
        )
    ]

    assert strange == []


def test_a_plugin_without_a_target_collects_but_does_not_run() -> None:
    plugin = Plugin(load_catalogue(), lambda case: True)

    with pytest.raises(SuiteError, match="no target is running; use `rpcrdma certify`"):
        next(plugin.pytest_runtest_protocol(None, None))  # type: ignore[arg-type]  # not looked at


GARBAGE = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
MAIN = "rfc8166.3.3.1.grant-is-never-zero"
SECOND = "rfc8166.4.5.error-xid-echoed"
THIRD = "rfc8166.4.2.2.version-is-one"


@pytest.mark.parametrize(
    ("cited", "deviation", "violated"),
    [
        ((MAIN,), "'so'", (MAIN,)),
        ((MAIN, SECOND), "'so'", (MAIN, SECOND)),
        ((MAIN, SECOND), "'so', unanswered=True", (MAIN,)),
        ((MAIN, SECOND, THIRD), "'so'", (MAIN,)),
        ((MAIN, SECOND, THIRD), f"'so', breaks=('{THIRD}',)", (THIRD,)),
        ((GARBAGE, SECOND, THIRD), "'so'", (SECOND,)),
    ],
)
def test_nothing_is_blamed_that_was_not_looked_at(
    tmp_path: Path, cited: tuple[str, ...], deviation: str, violated: tuple[str, ...]
) -> None:
    body = f'''
    @requirement(*{cited!r})
    def test_it(peer):
        """A deviation."""
        raise Deviation({deviation})
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert case.violated == violated
    assert case.not_reached == tuple(one for one in cited if one not in violated)


def test_a_rule_may_mean_what_the_case_is_about(tmp_path: Path) -> None:
    body = f'''
    @requirement("{MAIN}", "{SECOND}", means={{"{THIRD}": "{SECOND}"}})
    def test_it(peer):
        """A deviation."""
        raise Deviation("so", breaks=("{THIRD}",))
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert case.violated == (THIRD, SECOND)
    assert case.not_reached == (MAIN,)


def test_what_is_found_after_a_case_takes_nothing_back_of_it(tmp_path: Path) -> None:
    body = f'''
    @requirement("{MAIN}", "{SECOND}")
    def test_it(peer):
        """A call whose answer nobody awaits."""
        peer.send(build.null_call(peer))
        peer.receive()
    '''
    (case,) = judge_target(tmp_path, mini.MiniatureTarget(mini.good, dies_after=3), body)[0].cases

    assert (case.violated, case.not_reached) == ((MAIN,), ())


def test_what_a_dead_machine_has_printed_is_evidence_of_the_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trace and the capture stand before it; the case behind it has none."""
    monkeypatch.setattr(mini.MiniatureSession, "console", lambda _: "BUG\n", raising=False)
    run, _ = judge_target(tmp_path, mini.MiniatureTarget(mini.good, dies_after=3))

    first, second, _ = run.cases
    *_, console = first.evidence
    assert [name.rpartition(".")[2] for name in first.evidence] == ["jsonl", "pcapng", "log"]
    assert first.reason.endswith("The device died: killed by signal 11.")
    assert (tmp_path / "out" / console).read_text() == "BUG\n"
    assert len(second.evidence) == 2


def test_a_recommendation_that_is_not_followed_ends_nothing(tmp_path: Path) -> None:
    body = f'''
    @requirement("{MAIN}", "{SECOND}")
    def test_it(peer):
        """Two recommendations, and a tolerated outcome."""
        verify.recommended(peer, False, "it is so", actual="it is not", breaks="{MAIN}")
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert (case.verdict, case.violated, case.not_reached) == (Verdict.WARN, (MAIN,), ())


def test_a_note_is_recorded_and_leaves_the_verdict_as_it_is(tmp_path: Path) -> None:
    body = f'''
    @requirement("{MAIN}")
    def test_it(peer):
        """A remark."""
        peer.case.remark("It is slow.")
    '''
    (case,) = judge(tmp_path, mini.good, body)

    assert (case.verdict, case.notes) == (Verdict.PASS, ("It is slow.",))
