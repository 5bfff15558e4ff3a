"""What is known beside the run of `tests.reports.conftest`, made up."""

from __future__ import annotations

from reports.pages.background import (
    Background,
    DeviceFinding,
    DocumentAddress,
    FoundMutant,
    KnownDevice,
    ReadingText,
)
from reports.record import Verdict


def known() -> Background:
    """One document, two readings, a mutant and two devices."""
    fails = DeviceFinding(Verdict.FAIL, "H-1 It <fails> as well", "known/findings.md#h-1")
    return Background(
        documents={"rfc8166": DocumentAddress("RFC 8166: Transport", "https://rfc.test/rfc8166")},
        bound={"rfc8166.4.5.1.err-vers-range": "responder", "rfc8166.4.5.err-xid": "responder"},
        readings={
            "D-11": ReadingText(
                "The range", "4.5.1", "It says two things.", "The first.", "It was meant.", "none"
            ),
            "D-99": ReadingText("Of no case here", "1", "", "", "", ""),
        },
        mutants={"rfc8166/4.5.1/case": (FoundMutant("mutant:lies", "Lies.", "rfc8166.4.5.x"),)},
        roles={f"rfc8166/4.5.1/case[{verdict.name}]": "responder" for verdict in Verdict},
        devices=(
            KnownDevice(
                "server, Linux 6.1",
                "responder",
                {"rfc8166/4.5.1/case[FAIL]": (fails,)},
                "no deviation is known",
            ),
            KnownDevice("client, Linux 6.1", "requester", {}, "no deviation is known"),
        ),
    )
