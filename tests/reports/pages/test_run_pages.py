"""The pages of a run as files: well formed, whole, small, and linked to one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.baseline import BaselineCheck, Known
from reports.pages.run_pages import write_run_pages
from reports.record import Exchange, Field, RunFooter, Verdict
from tests.reports.pages.structure import Structure, broken_links

if TYPE_CHECKING:
    from pathlib import Path

    from reports.pages.background import Background
    from reports.record import RunRecord

MEGABYTE = 1_000_000


def pages(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}


@pytest.fixture
def written(run: RunRecord, background: Background, tmp_path: Path) -> Path:
    """The pages of a run, with its evidence and a file that a finding links to."""
    (tmp_path / "out" / "evidence").mkdir(parents=True)
    (tmp_path / "out" / "evidence" / "case.pcapng").touch()
    write_run_pages(run, tmp_path / "out", background=background)
    return tmp_path / "out"


def test_every_page_is_well_formed_and_every_link_leads_somewhere(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list(written.rglob("*.html"))
    assert len(found) == 6 + 3
    broken = {link for page in found for link in broken_links(page)}
    assert all(link.endswith("known/findings.md") or "findings.md#" in link for link in broken)
    for page in found:
        ids = Structure(page).ids
        assert len(ids) == len(set(ids))


def test_a_case_links_to_its_evidence_and_to_the_section_of_its_document(written: Path) -> None:
    links = Structure(written / "report" / "rfc8166-4.5.1-case-FAIL.html").links
    assert {"../evidence/case.pcapng", "https://rfc.test/rfc8166#section-4.5.1"} <= links


def test_a_requirement_leads_to_all_that_the_run_says_of_it(written: Path) -> None:
    row = "requirements-rfc8166.html#rfc8166.4.5.1.err-vers-range"
    assert row in Structure(written / "report" / "rfc8166-4.5.1-case-FAIL.html").links
    assert f"report/{row}" in Structure(written / "report.html").links


def test_pages_elsewhere_link_to_the_evidence_where_it_is(run: RunRecord, tmp_path: Path) -> None:
    write_run_pages(run, tmp_path / "pages", evidence=tmp_path / "run")
    links = Structure(tmp_path / "pages" / "report" / "rfc8166-4.5.1-case-FAIL.html").links
    assert "../../run/evidence/case.pcapng" in links


def test_pages_escape_what_a_device_sent(written: Path) -> None:
    for name, page in pages(written).items():
        assert "<ERR_VERS>" not in page, name
    assert "&lt;ERR_VERS&gt;" in pages(written)["report.html"]


def test_a_case_shows_octets_in_words_beside_their_meaning(written: Path) -> None:
    page = pages(written)["rfc8166-4.5.1-case-FAIL.html"]
    assert "<i>0000</i>  00000001 00000001 00000001 00000001\n<i>0010</i>  00000001" in page
    assert "rdma_xid 1" in page


def test_a_case_has_what_it_rests_on_who_proves_it_and_what_others_do(written: Path) -> None:
    page = pages(written)["rfc8166-4.5.1-case-FAIL.html"]
    assert '<a href="readings.html#D-11">D-11</a>' in page
    assert "It was meant." in page
    assert "mutant:lies" in page
    assert "H-1 It &lt;fails&gt; as well" in page
    assert "Of no case here" not in pages(written)["readings.html"]


def test_a_run_that_was_cut_short_says_so(run: RunRecord, tmp_path: Path) -> None:
    write_run_pages(msgspec.structs.replace(run, footer=None), tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "The run was cut short: 6 of 7 cases judged" in page
    assert "rfc8166/4.5.1/never-judged" in page


def with_exchanges(run: RunRecord, *exchanges: Exchange) -> RunRecord:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    case = msgspec.structs.replace(failed, exchanges=exchanges)
    return msgspec.structs.replace(run, cases=(case,))


def case_page(run: RunRecord, folder: Path) -> str:
    write_run_pages(run, folder)
    return pages(folder)["rfc8166-4.5.1-case-FAIL.html"]


def test_an_arrow_leads_to_its_message_decoded(run: RunRecord, tmp_path: Path) -> None:
    sent = Exchange(0.5, 1, "sent", "NULL", "one", "00" * 4, 4, "Send", "tester", 32)
    page = case_page(with_exchanges(run, sent, sent), tmp_path)
    assert page.count('class="step right tester message"') == 2
    assert page.count('<a href="#m2">NULL</a>') == page.count('id="m2"') == 1
    assert "credits 32" in page


@pytest.mark.parametrize(("fabric", "blind"), [("verbs rxe0", True), ("loopback", False)])
def test_a_diagram_says_what_the_tester_cannot_see(
    run: RunRecord, fabric: str, blind: bool, tmp_path: Path
) -> None:
    header = msgspec.structs.replace(run.header, fabric=fabric)
    there = msgspec.structs.replace(run, header=header)
    sent = Exchange(0.5, 1, "sent", "NULL", "one", "00" * 4, 4, "Send", "tester")
    page = case_page(with_exchanges(there, sent), tmp_path)
    assert ("the tester's end does not see that" in page) is blind


def test_the_guilty_field_is_marked_in_words_and_octets_and_stands_first(
    run: RunRecord, tmp_path: Path
) -> None:
    fields = (
        Field(0, 4, 0, "rdma_xid", "1"),
        Field(4, 4, 1, "rdma_vers", "7", "is neither 1 nor 2"),
    )
    good = Exchange(0.0, 1, "sent", "NULL", "", "00000001", 4, "Send", "tester")
    bad = Exchange(
        0.1, 1, "received", "bad", "", "0000000100000007", 8, "Send", "device", 1, fields
    )
    page = case_page(with_exchanges(run, good, bad), tmp_path)
    assert "<mark>00000007</mark>" in page
    assert "<mark>rdma_vers</mark>" in page
    assert page.count("is neither 1 nor 2") == 2
    assert page.index('id="m2"') < page.index("What was exchanged") < page.index('id="m1"')


def test_what_is_large_is_shown_as_far_as_it_is_recorded(run: RunRecord, tmp_path: Path) -> None:
    sent = Exchange(0.0, 1, "sent", "NULL", "one", "00" * 64, 5000, "Send", "tester")
    assert "first 64 of 5000 octets" in case_page(with_exchanges(run, sent), tmp_path)


def test_a_case_whose_messages_are_in_its_evidence_says_how_to_see_them(
    run: RunRecord, tmp_path: Path
) -> None:
    page = case_page(with_exchanges(run), tmp_path)
    assert "rpcrdma decode evidence/case.pcapng</code> prints them" in page


def test_what_needs_attention_stands_before_the_cases(written: Path) -> None:
    page = pages(written)["report.html"]
    first = page[page.index("What needs attention") : page.index("<h2>Cases</h2>")]
    shown = [name for name in ("ERROR", "FAIL", "WARN", "INCONC") if f"cause {name}" in first]
    assert shown == ["ERROR", "FAIL", "WARN", "INCONC"]
    assert "cause PASS" not in page


def test_totals_have_a_column_for_each_level_that_there_is(written: Path) -> None:
    page = pages(written)["report.html"]
    assert '<th scope="col">MUST</th></tr>' in page
    assert "1 of 1 not met" in page


def test_one_cause_is_told_once(run: RunRecord, tmp_path: Path) -> None:
    failed = next(case for case in run.cases if case.verdict is Verdict.FAIL)
    many = tuple(msgspec.structs.replace(failed, id=f"a/1/{number}") for number in range(15))

    write_run_pages(msgspec.structs.replace(run, cases=many), tmp_path)

    page = pages(tmp_path)["report.html"]
    assert "What needs attention: 15 cases, 1 cause" in page
    assert "<summary>3 cases more by the same cause</summary>" in page


def test_known_deviations_are_told_with_their_finding_and_the_rest(
    run: RunRecord, check: BaselineCheck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run_pages(run, tmp_path / "out", check)
    found = pages(tmp_path / "out")
    known = 'F-1 It fails &amp; nobody minds (<a href="{}known/findings.md#f-1">finding</a>)'
    assert found["report.html"].count(known.format("../")) == 1
    assert found["rfc8166-4.5.1-case-FAIL.html"].count(known.format("../../")) == 1
    assert "1 known deviation, listed in <code>known/server.toml</code>" in found["report.html"]
    assert found["report.html"].count("The suite has no such case any more.") == 1
    assert found["report.html"].count("WARN is not in the baseline.") == 1
    assert found["rfc8166-4.5.1-case-WARN.html"].count("WARN is not in the baseline.") == 1
    attention = found["report.html"].partition("What needs attention")[2].partition("</section>")[0]
    assert "case[WARN]" in attention
    assert "case[FAIL]" not in attention


def test_addresses_stay_as_they_are(run: RunRecord, tmp_path: Path) -> None:
    known = {"rfc8166/4.5.1/case[FAIL]": Known("F-1", "https://example.org/1")}
    write_run_pages(run, tmp_path, BaselineCheck("b.toml", known, ()))
    link = '<a href="https://example.org/1">finding</a>'
    assert link in pages(tmp_path)["report.html"]


def test_notes_and_the_level_of_each_verdict_are_shown_and_counted(
    run: RunRecord, tmp_path: Path
) -> None:
    noted = tuple(msgspec.structs.replace(case, notes=("Seen.",)) for case in run.cases)
    write_run_pages(msgspec.structs.replace(run, cases=noted), tmp_path)
    found = pages(tmp_path)
    assert "<b>6</b> notes" in found["report.html"]
    assert found["report.html"].count("Seen.") == 6
    assert "<li>Seen.</li>" in found["rfc8166-4.5.1-case-FAIL.html"]
    assert "FAIL rests on a MUST." in found["rfc8166-4.5.1-case-FAIL.html"]


@pytest.mark.long
@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_no_page_of_two_thousand_cases_is_larger_than_a_megabyte(
    run: RunRecord, verdict: Verdict, tmp_path: Path
) -> None:
    one = next(case for case in run.cases if case.verdict is verdict)
    cases = tuple(
        msgspec.structs.replace(
            one,
            id=f"rfc8166/{number % 9}/responder-{'does-what-is-asked-' * 4}[{number}]",
            title="Whatever the tester sends in this case, the device does what the document says.",
            reason=f"{verdict.value} by cause {number % 60}.",
            violated=(),
            exchanges=(),
        )
        for number in range(2000)
    )
    write_run_pages(msgspec.structs.replace(run, cases=cases), tmp_path)
    sizes = {path.name: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    assert {name: size for name, size in sizes.items() if size > MEGABYTE} == {}
    assert len(sizes) > 2000


@pytest.mark.long
def test_a_page_of_large_messages_is_bounded(run: RunRecord, tmp_path: Path) -> None:
    fields = tuple(Field(number * 4, 4, 1, "data", "0x00000000") for number in range(2048))
    large = Exchange(0.0, 1, "sent", "s", "", "00" * 8192, 8192, "Send", "tester", 1, fields)
    assert len(case_page(with_exchanges(run, *[large] * 300), tmp_path)) < MEGABYTE


def test_what_the_run_as_a_whole_tells_is_among_the_notes(run: RunRecord, tmp_path: Path) -> None:
    ended = RunFooter(len(run.cases), 1.5, notes=("It leaks.",))
    write_run_pages(msgspec.structs.replace(run, footer=ended), tmp_path)
    found = pages(tmp_path)["report.html"]
    assert "<b>1</b> note<" in found
    assert "<li>the whole run: It leaks.</li>" in found
