"""What the pages are told beside the records."""

from __future__ import annotations

from conformance.catalogue.entries import load_catalogue
from conformance.cli.background import background
from conformance.suite.runner import collect_cases
from reports.record import Verdict

SHORT = "rfc8166/4.5/responder-discards-a-message-shorter-than-a-header[0-octets]"


def test_documents_are_where_the_world_reads_them() -> None:
    documents = background().documents
    assert documents["rfc8166"].address == "https://www.rfc-editor.org/rfc/rfc8166"
    assert documents["v2"].address == (
        "https://datatracker.ietf.org/doc/html/draft-cel-nfsv4-rpcrdma-version-two-01"
    )
    assert set(documents) == {one.document for one in load_catalogue().documents}


def test_every_requirement_binds_somebody_and_every_case_has_a_role() -> None:
    assert background().bound["rfc8166.4.5.1.err-vers-range"] == "responder"
    assert set(background().bound) == {entry.id for entry in load_catalogue()}
    assert set(background().roles) == {case.id for case in collect_cases()}


def test_readings_come_in_words() -> None:
    reading = background().readings["D-10"]
    assert reading.title == "The shortest message that is looked into"
    assert reading.adopted
    assert reading.why


def test_a_case_is_proven_by_the_mutants_that_it_finds() -> None:
    found = background().mutants["rfc8166/3.3.1/responder-never-grants-zero-credits"]
    (zero,) = (one for one in found if one.name == "mutant:grants-zero")
    assert zero.breaks == "rfc8166.3.3.1.grant-is-never-zero"
    assert zero.deviation == "Grants no credit in any reply."


def test_both_kernels_are_known_as_servers_and_as_clients() -> None:
    devices = {(one.name, one.role): one for one in background().devices}
    for kernel in ("6.1", "6.12"):
        server = devices[f"linux-server, Linux {kernel}", "responder"]
        (finding,) = server.findings[SHORT]
        assert finding.verdict is Verdict.FAIL
        assert finding.why == "H-1 Short messages are answered"
        assert "findings-header.md#" in finding.link
        assert (f"linux-client, Linux {kernel}", "requester") in devices
    assert devices["reference", "responder"].findings == {}
