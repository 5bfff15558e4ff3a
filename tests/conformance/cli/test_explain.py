"""`rpcrdma explain`: one step from a statement to all that belongs to it."""

from __future__ import annotations

import random
import re

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.cli import explain
from conformance.cli.main import main
from conformance.proof.coverage import listed
from conformance.proof.places import ROOT
from targets.mutants.base import PREFIX, mutants

GRANT = "rfc8166.3.3.1.grant-is-never-zero"
OPEN = {identity for lacks in listed().values() for identity in lacks}
DRAWN = random.Random(8166).sample(
    [entry.id for entry in load_catalogue() if entry.seen_of and entry.id not in OPEN], 3
)
INHERITED = "v2.4.2.3.error-echoes-the-xid"
CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"
CLIENT_CASE = "rfc8166/3.3.3/requester-awaits-the-first-reply"
UNNAMED = "bidir.2.1.2.call-requests-credits"
PLACE = re.compile(r"^ *([\w./-]+\.(?:py|toml)):(\d+)(?: ([\w.]+))?$")


def explained(identity: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["explain", identity]) == 0
    return capsys.readouterr().out


def parts(text: str) -> dict[str, list[str]]:
    """The files of the places under each heading."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        place = PLACE.match(line)
        if place:
            source = (ROOT / place[1]).read_text().splitlines()
            name = (place[3] or "").rpartition(".")[2]
            near = source[int(place[2]) - 1 :]
            assert near, line
            assert name in "\n".join(source), line
            found.setdefault(heading, []).append(place[1])
        elif line.endswith(":") and not line.startswith(" "):
            heading = line
    return found


@pytest.mark.parametrize("identity", [GRANT, INHERITED, UNNAMED, *DRAWN])
def test_a_requirement_leads_to_all_that_belongs_to_it_in_one_step(
    identity: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(identity, capsys)

    found = parts(text)
    assert [file.split("/")[1] for file in found["catalogue:"]] == ["catalogue"]
    assert all(file.startswith("conformance/scenarios/") for file in found["cases:"])
    assert all(file.startswith("targets/mutants/") for file in found["mutants that break it:"])
    assert any(file.startswith("rpcrdma/") for file in found["endpoint code that keeps it:"])
    judged = [heading for heading in found if "judge" in heading]
    assert judged, text
    for mutant in mutants():
        assert (f"  {PREFIX}{mutant.slug}: " in text) is (mutant.breaks == identity)


def test_the_rule_is_that_of_the_oracle_if_it_has_one(capsys: pytest.CaptureFixture[str]) -> None:
    found = parts(explained(GRANT, capsys))

    assert "conformance/oracle/responder/reply_rules.py" in found["rules that judge it:"]


def test_an_inherited_rule_leads_to_its_origin(capsys: pytest.CaptureFixture[str]) -> None:
    headings = parts(explained(INHERITED, capsys))

    assert "judged as rfc8166.4.5.error-xid-echoed, which it inherits:" in headings


def test_what_no_rule_names_leads_to_what_its_cases_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    headings = parts(explained(UNNAMED, capsys))

    assert headings["no rule names it; its cases judge it, by:"] == [
        "conformance/verify/answers.py"
    ]


def test_a_statement_that_a_rule_means_in_its_case_leads_to_that_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    headings = parts(explained("bidir.1.3.4.call-xid-is-unique", capsys))

    rule = "bidir.2.5.call-has-a-fresh-xid"
    assert headings[f"judged as {rule}, which means it in one of its cases:"]


def test_a_requirement_without_a_case_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(explain, "collect_cases", lambda *_: ())

    text = explained(GRANT, capsys)

    assert "\nno case cites it\n" in text
    assert "no rule names it" not in text


def test_a_case_leads_to_its_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained("rfc8166/3.3.1/responder-never-grants-zero-credits[1]", capsys)

    (_, _, place, *_) = text.splitlines()
    assert place.startswith("conformance/scenarios/rfc8166/responder/test_3_3_1_credits.py:")
    assert place.endswith(" test_responder_never_grants_zero_credits")


def test_an_interpretation_leads_to_who_rests_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = parts(explained("D-12", capsys))

    assert found["register:"] == ["rpcrdma/spec/interpretations.toml"]
    assert "conformance/catalogue/v2.toml" in found["requirements that are read by it:"]
    assert "cases that rest on it:" in found
    assert any("/oracle/" in file for file in found["judges and endpoint:"])


def test_a_mutant_leads_to_what_it_overrides(capsys: pytest.CaptureFixture[str]) -> None:
    found = parts(explained("mutant:grants-zero", capsys))

    assert found["class:"] == ["targets/mutants/responder/credits.py"]
    assert found["overrides:"][0] == "rpcrdma/endpoint/responder/reply_rules.py"
    assert "cases that cite it:" in found


@pytest.mark.parametrize(
    ("identity", "told"),
    [
        (GRANT, ("MUST NOT", f"  {CASE}", "mutant:grants-zero: Grants no credit")),
        (CASE, (" cases:\n", f"  {CASE}[0]", GRANT, f"certify reference --case '{CASE}'")),
        (f"{CASE}[0]", (GRANT,)),
        (CLIENT_CASE, ("certify reference-client --case",)),
        ("D-12", ("Two XIDs that differ", 'in [extra.interpretations]: D-12 = "either"')),
        ("D-80", ("in later drafts of Version Two (Remote invalidation): From cel-02",)),
        ("mutant:grants-zero", ("but for one thing: Grants no credit", f"  {CASE}")),
    ],
)
def test_explain_tells_what_an_id_is(
    identity: str, told: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    text = explained(identity, capsys)
    assert [words for words in told if words not in text] == []


def test_keys_of_profiles_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "profile"]) == 0
    everything = capsys.readouterr().out
    assert main(["explain", "claims.max_segments"]) == 0
    one = capsys.readouterr().out

    assert one.startswith("  claims.max_segments  (whole number, 1 or more; default 16)\n")
    assert one in everything
    assert "claims.versions  (list, each whole number, 1 or more; required)" in everything
    assert "testprog: The suite's own test program" in everything
