"""`rpcrdma cases` and `rpcrdma requirements`: what there is to test, and what lacks a test."""

from __future__ import annotations

import pytest

from conformance.catalogue.entries import Role, Testability, load_catalogue
from conformance.cli import listing
from conformance.suite.runner import collect_cases
from reports.summary import NOTHING_JUDGED
from tests.conformance.cli.command_line import CASE, REQUIREMENT, refused, run


def test_cases_are_listed_by_section(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cases", "--section", "3.3.1") == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{CASE}[0]  MUST NOT  ") for line in lines)
    assert all(line.startswith("rfc8166/3.3.1/") for line in lines)


def test_requirements_come_with_their_cases_and_mutants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("--section", "3.3.1", "--role", "responder", "--level", "MUST NOT")
    assert run("requirements", *words) == 0

    entries = capsys.readouterr().out.split("\n\n")
    (entry,) = (entry for entry in entries if entry.startswith(REQUIREMENT))
    assert f"case    {CASE} (" in entry
    assert "mutant  mutant:grants-zero" in entry
    assert "can be tested on the wire" in entries[-1]
    assert entries[-1].rstrip().endswith("0 without a case, 0 without a mutant")
    assert "of a requester" not in entries[-1]


def test_requirements_say_of_which_role_the_wire_does_not_show_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = next(entry for entry in load_catalogue() if Role.RESPONDER in entry.unseen)

    assert run("requirements", "--section", entry.section) == 0
    listed = capsys.readouterr().out
    assert run("explain", entry.id) == 0
    explained = capsys.readouterr().out

    reason = f"not seen of a responder: {entry.unseen[Role.RESPONDER]}"
    assert reason in listed
    assert reason in explained


def test_requirements_say_why_the_wire_does_not_show_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = next(entry for entry in load_catalogue() if entry.test is Testability.INTERNAL)

    assert run("requirements", "--section", entry.section) == 0
    assert run("explain", entry.id) == 0

    told = f"not tested (internal): {entry.reason}"
    assert capsys.readouterr().out.count(told) == 2


def test_requirements_of_version_two_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    documents = ("rtrext", "v2", "xcharext")
    assert run("requirements", "--document", ",".join(documents)) == 0

    printed = capsys.readouterr().out
    names = [entry.id for entry in load_catalogue() if entry.document in documents]
    assert [line.split()[0] for line in printed.splitlines() if line.startswith(documents)] == names


@pytest.mark.parametrize("command", ["cases", "certify reference"])
def test_a_document_without_cases_refers_to_its_requirements(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    others = tuple(case for case in collect_cases() if not case.id.startswith("xcharext/"))
    monkeypatch.setattr(listing, "collect_cases", lambda: others)

    words = (*command.split(), "--document", "xcharext")
    told = refused(capsys, *words, status=NOTHING_JUDGED)

    assert "no case is selected by --document xcharext; none is about it yet" in told
    assert "`rpcrdma requirements --document xcharext`" in told
    words = (*command.split(), "--document", "rfc8166", "--section", "99")
    missing = refused(capsys, *words, status=NOTHING_JUDGED)
    assert missing.endswith("`rpcrdma cases` lists them all\n")


def test_one_requirement_is_counted_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--section", "3.3.1", "--role", "responder", "--level", "MUST NOT")
    assert run("requirements", *words) == 0

    assert "\n1 requirement: 1 can be tested" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["cases", "requirements"])
def test_several_documents_are_named_with_commas(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def entries(documents: str) -> list[str]:
        assert run(command, "--document", documents) == 0
        lines = capsys.readouterr().out.splitlines()
        return [line for line in lines if line.startswith(("rfc8166", "bidir"))]

    both = entries("rfc8166,bidir")
    assert [line for line in both if line.startswith("rfc8166")] == entries("rfc8166")
    if command == "requirements":
        assert [line for line in both if line.startswith("bidir")] == entries("bidir")
    assert "no document `rfc9999`" in refused(capsys, command, "--document", "rfc8166,rfc9999")
