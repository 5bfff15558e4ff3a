from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from reports.record import RunFooter, RunRecord, Verdict
from reports.render.terminal import Progress, Terminal, print_summary

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck


def test_terminal_lists_what_needs_attention_and_not_what_passed(run: RunRecord) -> None:
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, run)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    for shown in ("case[FAIL]", "case[WARN]", "case[INCONC]", "case[ERROR]", "6 of 7 cases"):
        assert shown in text
    assert "case[PASS]" not in text
    assert "& [more]" in text
    assert "reference over loopback: 6 cases, 2 requirements in 1.5 s" in text


@pytest.mark.parametrize(
    ("footer", "verdict", "line"),
    [
        (None, Verdict.PASS, "The run was cut short: 1 of 1 case judged; its records have no end."),
        (
            RunFooter(1, 1.0, complete=False, reason="interrupted by SIGTERM"),
            Verdict.PASS,
            "The run was cut short: 1 of 1 case judged; interrupted by SIGTERM.",
        ),
        (RunFooter(1, 1.0), Verdict.NA, "Nothing was judged: no case says anything of the device."),
        (RunFooter(1, 1.0), Verdict.PASS, ""),
    ],
)
def test_terminal_says_in_one_line_that_a_run_is_not_whole(
    run: RunRecord, footer: RunFooter | None, verdict: Verdict, line: str
) -> None:
    case = next(case for case in run.cases if case.verdict is verdict)
    header = msgspec.structs.replace(run.header, planned=(case.id,))
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, RunRecord(header, (case,), footer))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert line in text
    assert ("judged" in text) is bool(line)


def test_a_reader_that_has_seen_enough_ends_what_is_written_and_nothing_else() -> None:
    hear, tell = os.pipe()
    os.close(hear)
    with os.fdopen(tell, "w") as stream:
        console = Terminal(file=stream)
        console.print("heard by nobody")
        console.print("and this neither")


def test_no_line_of_a_device_looks_like_one_of_ours(run: RunRecord) -> None:
    (case,) = (case for case in run.cases if case.verdict is Verdict.FAIL)
    forged = msgspec.structs.replace(case, reason="broken\nPASS   rfc8166/4.5.1/case[FAIL]")
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, cases=(forged,)))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "       PASS   rfc8166/4.5.1/case[FAIL]" in text
    assert "\nPASS   rfc8166" not in text


def progress_of(run: RunRecord, *, terminal: bool, verbose: bool = False) -> str:
    """All that is written while the cases of a run are judged."""
    console = Console(file=io.StringIO(), width=60, force_terminal=terminal, _environ={})
    with Progress(console, verbose=verbose) as progress:
        for case in run.cases:
            progress.begin(case.id, len(run.cases))
            progress.judged(case)
    return console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO


def test_progress_writes_a_line_for_each_case_that_needs_attention(run: RunRecord) -> None:
    text = progress_of(run, terminal=False)

    assert [line.split()[0] for line in text.splitlines()] == ["WARN", "FAIL", "INCONC", "ERROR"]


def test_progress_tells_what_happens_between_cases() -> None:
    console = Console(file=io.StringIO(), width=20, _environ={})
    with Progress(console) as progress:
        progress.note("oops [at last]; going on in a new guest")

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text == "oops [at last]; going on in a new guest\n"


def test_progress_leaves_what_a_baseline_lists_to_the_summary(run: RunRecord) -> None:
    console = Console(file=io.StringIO(), width=60, _environ={})
    with Progress(console, listed={"rfc8166/4.5.1/case[FAIL]"}) as progress:
        for case in run.cases:
            progress.judged(case)

    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]  # a StringIO
    assert [line.split()[0] for line in lines] == ["WARN", "INCONC", "ERROR"]


def test_progress_is_verbose_when_asked(run: RunRecord) -> None:
    assert len(progress_of(run, terminal=False, verbose=True).splitlines()) == len(run.cases)


def test_progress_on_a_terminal_counts_and_names_the_running_case(run: RunRecord) -> None:
    text = progress_of(run, terminal=True)

    assert "5/6" in text  # the last of six is running
    assert run.cases[-1].id[:20] in text


def test_terminal_explains_the_worst_and_counts_the_rest(run: RunRecord) -> None:
    failed = run.cases[2]
    many = tuple(
        msgspec.structs.replace(failed, id=f"case-{number}", violated=(f"rule-{number}",))
        for number in range(30)
    )
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, cases=many))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.count("again ") == 20
    assert "and 10 cases more: see the report" in text


def test_terminal_says_one_cause_once(run: RunRecord) -> None:
    failed = run.cases[2]
    many = tuple(
        msgspec.structs.replace(failed, id=f"case-{number}", reason=f"answer {number} is wrong")
        for number in range(8)
    )
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, cases=many))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.count("again ") == 1
    assert "by the same cause 7 cases more:\n         case-1\n" in text
    assert "case-5\n         ... see the report" in text


def test_terminal_explains_only_what_is_not_known(run: RunRecord, check: BaselineCheck) -> None:
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, run, check)

    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]  # a StringIO
    assert not any("case[FAIL]" in line for line in lines)
    assert any(line.startswith("WARN   rfc8166/4.5.1/case[WARN]") for line in lines)
    assert "known FAIL     1  F-1 It fails & nobody minds (known/findings.md#f-1)" in lines
    assert "BASELINE rfc8166/4.5.1/gone: The suite has no such case any more." in lines
    assert "baseline known/server.toml: 1 known deviation, 4 problems" in lines


def test_terminal_counts_one_of_a_kind_as_one(run: RunRecord) -> None:
    one = msgspec.structs.replace(run, cases=(msgspec.structs.replace(run.cases[0]),))
    one = msgspec.structs.replace(
        one, cases=(msgspec.structs.replace(one.cases[0], citations=one.cases[0].citations[:1]),)
    )
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, one)

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "over loopback: 1 case, 1 requirement in 1.5 s" in text


def test_summary_shows_and_counts_notes_of_cases_that_passed_and_of_others(run: RunRecord) -> None:
    cases = tuple(
        msgspec.structs.replace(case, notes=(f"Seen of {case.verdict.name}.",))
        for case in run.cases
    )
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, cases=cases))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "note   rfc8166/4.5.1/case[PASS]: Seen of PASS." in text
    assert "note      Seen of FAIL." in text
    assert "6 cases, 2 requirements, 6 notes in 1.5 s" in text


def test_summary_shows_and_counts_what_the_run_as_a_whole_tells(run: RunRecord) -> None:
    ended = RunFooter(len(run.cases), 1.5, notes=("It leaks.",))
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, footer=ended))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "note   the whole run: It leaks." in text
    assert "6 cases, 2 requirements, 1 note in 1.5 s" in text


def test_summary_cuts_a_long_list_of_notes(run: RunRecord) -> None:
    case = next(case for case in run.cases if case.verdict.name == "PASS")
    noted = msgspec.structs.replace(case, notes=tuple(f"Note {n}." for n in range(23)))
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, msgspec.structs.replace(run, cases=(noted,)))

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.count("note   ") == 20
    assert "and 3 notes more: see the report" in text


def test_summary_says_on_what_a_verdict_rests(run: RunRecord) -> None:
    console = Console(file=io.StringIO(), width=120)

    print_summary(console, run)

    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert text.count("level     a MUST") == 1
    assert text.count("level     what is tolerated in place of what is asked for") == 1
