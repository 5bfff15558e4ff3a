"""What a baseline accepts, what it does not, and what it says of a file that cannot be used."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from reports.baseline import (
    Baseline,
    BaselineCheck,
    BaselineError,
    BaselineFinding,
    Known,
    KnownCase,
    Problem,
    check_baseline,
    kernel_of,
    load_baseline,
    read_baseline,
)
from reports.record import FORMAT_VERSION, CaseRecord, RunFooter, RunHeader, RunRecord, Verdict

FILE = Path("known/server.toml")
ONE = """
target = "server"
[[finding]]
why = "it is slow"
link = "findings.md#slow"
[[finding.case]]
id = "d/1/slow"
verdict = "FAIL"
text = "within 5 s"
"""


@dataclass(frozen=True)
class Judged:
    """A case and what it got."""

    id: str
    verdict: Verdict
    reason: str = ""


def run_of(*cases: Judged, kernel: str = "6.1.0-56-amd64") -> RunRecord:
    header = RunHeader(
        FORMAT_VERSION,
        "server",
        "server",
        "verbs rxe0",
        tuple(case.id for case in cases),
        (("kernel", kernel),),
        "2026-01-01T00:00:00+00:00",
    )
    records = tuple(CaseRecord(case.id, "A title.", case.verdict, case.reason) for case in cases)
    return RunRecord(header, records, RunFooter(len(cases), 1.0))


def known(
    identity: str = "d/1/slow",
    verdict: Verdict = Verdict.FAIL,
    text: str | tuple[str, ...] = "within 5 s",
    kernels: tuple[str, ...] = (),
    link: str = "findings.md#slow",
) -> BaselineFinding:
    return BaselineFinding("it is slow", (KnownCase(identity, verdict, text),), link, kernels)


def check(run: RunRecord, *findings: BaselineFinding) -> BaselineCheck:
    return check_baseline(run, Baseline("server", findings), FILE, {"d/1/slow", "d/2/other"})


SLOW = Judged("d/1/slow", Verdict.FAIL, "Nothing came within 5 s.")


def test_a_deviation_that_is_listed_is_known_with_its_reason_and_link() -> None:
    found = check(run_of(SLOW), known())
    assert found.problems == ()
    assert found.known == {"d/1/slow": Known("it is slow", "known/findings.md#slow")}


@pytest.mark.parametrize("link", ["", "https://example.org/1"])
def test_a_link_that_is_no_path_stays_as_it_is(link: str) -> None:
    assert check(run_of(SLOW), known(link=link)).known["d/1/slow"].link == link


@pytest.mark.parametrize(
    "verdict", [Verdict.FAIL, Verdict.WARN, Verdict.INCONC, Verdict.ERROR], ids=lambda v: v.name
)
def test_a_deviation_that_is_not_listed_is_a_problem(verdict: Verdict) -> None:
    found = check(run_of(Judged("d/1/slow", verdict, "x")))
    assert found.problems == (Problem("d/1/slow", f"{verdict.value} is not in the baseline."),)


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NA], ids=lambda v: v.name)
def test_what_is_no_deviation_need_not_be_listed(verdict: Verdict) -> None:
    assert check(run_of(Judged("d/1/slow", verdict, "x"))).problems == ()


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NA], ids=lambda v: v.name)
def test_a_listed_case_that_does_not_deviate_any_more_is_stale(verdict: Verdict) -> None:
    found = check(run_of(Judged("d/1/slow", verdict)), known())
    assert found.known == {}
    assert found.problem_with("d/1/slow") == (
        f"The baseline lists FAIL, but the verdict is {verdict.value} now: remove the entry."
    )


def test_another_verdict_is_a_problem() -> None:
    found = check(run_of(Judged("d/1/slow", Verdict.WARN, "within 5 s")), known())
    assert found.problem_with("d/1/slow") == "WARN came where the baseline lists FAIL."


def test_another_reason_is_a_problem() -> None:
    found = check(run_of(Judged("d/1/slow", Verdict.FAIL, "The connection ended.")), known())
    assert found.problem_with("d/1/slow").endswith("the baseline's, which has: within 5 s")


def test_what_shows_only_sometimes_may_pass_but_not_deviate_otherwise() -> None:
    case = KnownCase("d/1/slow", Verdict.FAIL, "within 5 s", sometimes=True)
    racing = BaselineFinding("it races", (case,))
    for verdict in (Verdict.PASS, Verdict.NA):
        assert check(run_of(Judged("d/1/slow", verdict)), racing) == check(run_of())
    assert list(check(run_of(SLOW), racing).known) == ["d/1/slow"]
    for verdict in (Verdict.WARN, Verdict.INCONC, Verdict.ERROR):
        assert check(run_of(Judged("d/1/slow", verdict, "within 5 s")), racing).problems != ()


def test_a_race_of_several_ends_comes_as_one_of_them() -> None:
    slow = KnownCase("d/1/slow", Verdict.FAIL, "within 5 s", sometimes=True)
    other = KnownCase("d/1/slow", Verdict.WARN, "other words", sometimes=True)
    race = (BaselineFinding("it is late", (slow,)), BaselineFinding("it is early", (other,)))
    early = Judged("d/1/slow", Verdict.WARN, "In other words.")
    for case, why in ((SLOW, "it is late"), (early, "it is early")):
        assert [one.why for one in check(run_of(case), *race).known.values()] == [why]
    for verdict in (Verdict.PASS, Verdict.NA):
        assert check(run_of(Judged("d/1/slow", verdict)), *race).problems == ()
    mixed = Judged("d/1/slow", Verdict.WARN, "within 5 s")
    assert len(check(run_of(mixed), *race).problems) == 1


def test_several_texts_must_all_be_there_in_order() -> None:
    case = KnownCase("d/1/slow", Verdict.FAIL, ("came", "5 s"))
    assert case.describes("Nothing came within 5 s.")
    assert not case.describes("Within 5 s nothing came.")
    assert not case.describes("Nothing came.")


def test_a_listed_case_that_was_not_selected_does_not_count() -> None:
    assert check(run_of(), known("d/2/other")).problems == ()


def test_a_listed_case_that_the_suite_does_not_have_is_a_problem() -> None:
    found = check(run_of(), known("d/3/gone"))
    assert found.problem_with("d/3/gone").endswith("the suite has no such case any more.")
    assert found.problem_with("d/1/slow") == ""


@pytest.mark.parametrize(
    ("beginning", "release", "holds"),
    [
        ("6.1", "6.1.0-56-amd64", True),
        ("6.1", "6.12.117+deb12-amd64", False),
        ("6.12", "6.12.117+deb12-amd64", True),
        ("6.1.0-56-amd64", "6.1.0-56-amd64", True),
        ("6.1", "", False),
    ],
)
def test_a_finding_may_hold_for_some_kernels(beginning: str, release: str, holds: bool) -> None:
    assert known(kernels=(beginning,)).holds_for(release) is holds


def test_what_is_listed_for_another_kernel_does_not_count() -> None:
    run = run_of(Judged("d/1/slow", Verdict.PASS), kernel="6.12.117")
    assert check(run, known(kernels=("6.1",))).problems == ()
    assert check(run, known(kernels=("6.12",))).problems != ()


def test_a_run_without_a_kernel_has_none() -> None:
    run = run_of()
    assert kernel_of(run) == "6.1.0-56-amd64"
    bare = msgspec.structs.replace(run.header, facts=())
    assert kernel_of(msgspec.structs.replace(run, header=bare)) == ""


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(ONE)
    assert load_baseline(tmp_path / "known.toml", "server") == Baseline("server", (known(),))


def test_a_file_may_be_json(tmp_path: Path) -> None:
    case = {"id": "d/1/slow", "verdict": "FAIL", "text": ["came", "5 s"]}
    layout = {"target": "server", "finding": [{"why": "it is slow", "case": [case]}]}
    (tmp_path / "known.json").write_text(json.dumps(layout))
    (finding,) = load_baseline(tmp_path / "known.json").finding
    assert finding.case[0].fragments == ("came", "5 s")


AGAIN = ONE.partition("[[finding]]")[2]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (ONE.replace('"it is slow"', '" "'), r"finding 1 \(d/1/slow ...\) has no `why`"),
        (ONE.replace('"server"', '"other"'), "is for target `other`, not for `server`"),
        (ONE.replace('"FAIL"', '"PASS"'), "d/1/slow: PASS is no deviation"),
        (ONE.replace('"FAIL"', '"BAD"'), "Invalid enum value 'BAD'"),
        (ONE.replace("text", "txt"), "unknown field `txt`"),
        (ONE.replace('text = "within 5 s"', ""), "missing required field `text`"),
        (ONE.replace('"within 5 s"', '""'), "length >= 1"),
        (ONE.replace('"within 5 s"', "[]"), "length >= 1"),
        (ONE + "[[finding]]" + AGAIN, "d/1/slow is listed twice for the same kernel"),
        ("target", "is no baseline"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(BaselineError, match=problem):
        load_baseline(tmp_path / "known.toml", "server")


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"none\.toml: cannot be read: No such file"):
        load_baseline(tmp_path / "none.toml")
    (tmp_path / "known.toml").write_bytes(b"\xff")
    with pytest.raises(BaselineError, match=r"known\.toml: is no baseline"):
        load_baseline(tmp_path / "known.toml")


def test_a_file_without_reasons_can_be_read_but_not_used(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(ONE.replace("it is slow", ""))
    assert read_baseline(tmp_path / "known.toml").finding[0].why == ""


@pytest.mark.parametrize(
    ("first", "second", "allowed"),
    [
        ("6.1", "6.12", True),
        ("6.1", "6.1.0-56", False),
        ("6.1.0-56", "6.1", False),
        ("", "6.1", False),
        ("6.1", "", False),
    ],
)
def test_a_case_may_be_listed_once_for_each_kernel(
    tmp_path: Path, first: str, second: str, allowed: bool
) -> None:
    def only(kernel: str) -> str:
        return f'\nkernels = ["{kernel}"]' if kernel else ""

    text = ONE.replace('slow"\nlink', f'slow"{only(first)}\nlink', 1)
    text += "[[finding]]" + AGAIN.replace('slow"\nlink', f'slow"{only(second)}\nlink', 1)
    (tmp_path / "known.toml").write_text(text)
    if allowed:
        assert len(load_baseline(tmp_path / "known.toml").finding) == 2
    else:
        with pytest.raises(BaselineError, match="listed twice"):
            load_baseline(tmp_path / "known.toml")


BY_CHANCE = "rfc8166/4.5/requester-ends-a-call-that-is-refused[err-chunk]"
EITHER_WAY = "rfc8166/4.5/requester-drops-a-short-message[27]"


@pytest.mark.parametrize(
    ("identity", "verdict", "reason", "agrees"),
    [
        (BY_CHANCE, Verdict.PASS, "", True),
        (BY_CHANCE, Verdict.FAIL, "The client takes for done what was refused. In the ...", True),
        (BY_CHANCE, Verdict.FAIL, "The act did not end within 10 s.", False),
        (EITHER_WAY, Verdict.FAIL, "the Call ends with an error.", True),
        (EITHER_WAY, Verdict.FAIL, "the connection ends.", True),
        (EITHER_WAY, Verdict.FAIL, "the Call completes.", False),
        (EITHER_WAY, Verdict.PASS, "", False),
    ],
)
def test_the_linux_clients_race_is_known_by_each_of_its_ends_and_by_no_other(
    identity: str, verdict: Verdict, reason: str, agrees: bool
) -> None:
    file = Path(__file__).parents[2] / "results/linux-6.1/baseline-client.toml"
    if identity == EITHER_WAY and reason:
        reason = f"27 octets only: expected that the Call stays as it is; {reason}"
    run = run_of(Judged(identity, verdict, reason))
    baseline = load_baseline(file, "linux-client")
    everything = {case.id for _, case in baseline.entries("6.1.0-56-amd64")}
    assert (check_baseline(run, baseline, file, everything).problems == ()) is agrees
