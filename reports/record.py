"""The vocabulary of results: verdicts, case records and run records.

Verdicts are those of ISO/IEC 9646 (PASS, FAIL, INCONC), plus WARN, N/A and ERROR.  Records are
plain data: whoever judges writes them, renderers only read them.  On disk a run is a file of JSON
lines (`reports.stream`), written as cases finish.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

__all__ = [
    "FORMAT_VERSION",
    "STOPPED",
    "CaseRecord",
    "Citation",
    "Exchange",
    "Field",
    "Mark",
    "RunFooter",
    "RunHeader",
    "RunRecord",
    "Verdict",
]

FORMAT_VERSION: Final = 2
"""Of the records on disk; a reader refuses any other."""


STOPPED: Final = "stopped at the first failure"
"""The reason of a run that ended as it was asked to; its failure says all there is to say."""


class Verdict(Enum):
    """What a case says about the device under test."""

    PASS = "PASS"  # noqa: S105  # a verdict, not a password
    """Every cited requirement that the case looks at was met."""
    WARN = "WARN"
    """A SHOULD (or a lower-case should) was not followed, or what was done is only tolerated."""
    FAIL = "FAIL"
    """A MUST, or a rule that interoperation needs, was broken."""
    INCONC = "INCONC"
    """The situation could not be brought about; the reason says why."""
    NA = "N/A"
    """The profile does not claim what the case needs."""
    ERROR = "ERROR"
    """Our own fault: says nothing about the device."""


class Citation(msgspec.Struct, frozen=True):
    """A requirement as a report shows it.

    Attributes:
        id: the catalogue's id, `rfc8166.4.5.1.err-vers-range`.
        level: MUST, MUST NOT, SHOULD, SHOULD NOT, MAY, RULE (no keyword, but needed) or ADVICE (a
            lower-case should).
        document: short name, `rfc8166`.
        section: number, `4.5.1`.
        text: the paraphrase.
    """

    id: str
    level: str
    document: str
    section: str
    text: str


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field of a message, as a report shows it.

    The fields of a message follow each other in the order of their octets, and cover each of them
    once; what groups fields is a heading, of no length, and its parts follow it one level deeper.

    Attributes:
        offset: of its first octet in the message, in octets.
        length: in octets, with padding; 0 of a heading.
        depth: levels of nesting; 0 of the transport header, the RPC message and what follows them.
        name: as the XDR of the document has it, or what the octets are.
        value: in the words of the document, `RDMA_MSG (0)`; empty of a heading that has none.
        mark: in a few words, why this is the field that a requirement was broken with; empty of
            all others.
    """

    offset: int
    length: int
    depth: int
    name: str
    value: str
    mark: str = ""


class Exchange(msgspec.Struct, frozen=True):
    """One step of what was sent and received, for people.

    Attributes:
        time: seconds since the case began, of the fabric's clock.
        connection: number of the connection within the case, from 1.
        direction: `sent` by the tester, `received` from the device, or `event` (neither).
        summary: one line, `RDMA_MSG xid 0x1 ... NULL Call`.
        detail: the decoded message, several lines; empty if the summary says all.
        octets: the message in hexadecimal; the first octets only if `length` is larger.
        length: of the whole message, in octets.
        kind: the word for what happened: `Send`, `RDMA Read`, `RDMA Write`, `connect`, `reject`,
            `disconnect`, `invalidate`, `failure`.
        by: `tester` or `device`; empty where neither did it.
        credits: the credit value in the transport header of a Send; None where there is none.
        fields: of a Send, from its first octet to its last.
    """

    time: float
    connection: int
    direction: str
    summary: str
    detail: str = ""
    octets: str = ""
    length: int = 0
    kind: str = ""
    by: str = ""
    credits: int | None = None
    fields: tuple[Field, ...] = ()


class Mark(msgspec.Struct, frozen=True):
    """The field of a message of the device with which a requirement was broken.

    Attributes:
        xid: the first word of the message, rdma_xid.
        length: of the message, in octets; 0 where nobody has counted them.
        path: of the field as in the XDR, dotted: `rdma_body.rdma_writes[0].target[1].length`; or
            its last step, or the name that a record gives it.
        why: what is wrong with it, in a few words.
    """

    xid: int
    length: int
    path: str
    why: str


class CaseRecord(msgspec.Struct, frozen=True, tag="case"):
    """One case judged against one target.

    Attributes:
        id: stable, `rfc8166/4.5.1/unknown-version-gets-err-vers[2]`; never reused.
        title: one sentence: what is sent and what must happen.
        verdict: see `Verdict`.
        reason: one or more sentences; empty on PASS.
        expected: the outcomes that would have been accepted, one a line.
        actual: what came instead (or, on PASS, what came).
        citations: every requirement that the case cites.
        violated: ids of the cited requirements that were broken (FAIL) or not followed (WARN):
            those that the deviation itself names, and no others.
        not_reached: ids of the cited requirements that were not looked at, because the deviation
            came first.
        notes: what is worth knowing and breaks nothing, one sentence each; no verdict and no
            baseline depends on them.
        interpretations: ids of `INTERPRETATIONS.md` on which the verdict rests.
        exchanges: what was sent and received; of PASS and N/A it is in the evidence alone.
        marks: the fields of the device's messages that were wrong, as far as they are known.
        evidence: file names relative to the run's folder: trace, pcapng, and where the
            device's machine was found dead, its console.
        rerun: the command that runs this one case again.
        started: seconds since the run began.  duration: seconds, wall clock.
        destructive: whether the case may bring an implementation down.
        died: how the device died, where it was found dead in the case or right before it; else
            empty.
        lost: whether the case was not judged because the device did not serve.
    """

    id: str
    title: str
    verdict: Verdict
    reason: str = ""
    expected: tuple[str, ...] = ()
    actual: str = ""
    citations: tuple[Citation, ...] = ()
    violated: tuple[str, ...] = ()
    not_reached: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interpretations: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    marks: tuple[Mark, ...] = ()
    evidence: tuple[str, ...] = ()
    rerun: str = ""
    started: float = 0.0
    duration: float = 0.0
    destructive: bool = False
    died: str = ""
    lost: bool = False


class RunHeader(msgspec.Struct, frozen=True, tag="run"):
    """First line of a run.

    Attributes:
        target: name of the target.  profile: name of its profile.
        fabric: `loopback`, or `verbs` with the device.
        planned: ids of all cases that the run means to judge, in order.
        facts: what made the run and what is known of the surroundings, (name, value): version
            and commit of the suite, command line, claims, digest of the profile, kernel.
        started: local time with offset, ISO 8601.
    """

    format: int
    target: str
    profile: str
    fabric: str
    planned: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    started: str


class RunFooter(msgspec.Struct, frozen=True, tag="end"):
    """Last line of a complete run; a file without it was cut short.

    Attributes:
        cases: how many case records precede it.
        duration: seconds.
        complete: False when the run was ended before every planned case was judged.
        reason: why it was not complete.
        signal: name of the signal that ended it, `SIGTERM`; empty if none did.
        notes: what the run as a whole tells and no case does, one sentence each; it breaks nothing.
    """

    cases: int
    duration: float
    complete: bool = True
    reason: str = ""
    signal: str = ""
    notes: tuple[str, ...] = ()


class RunRecord(msgspec.Struct, frozen=True):
    """A whole run, as a reader returns it; `footer` is None if the file was cut short."""

    header: RunHeader
    cases: tuple[CaseRecord, ...]
    footer: RunFooter | None = None
