"""What stands beside a run on its pages: the documents, the readings, the proof, other devices.

Reports know records alone.  Whoever knows the rest (`conformance.cli.background`) hands it over as
plain data, and a page leaves out what it was not given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from reports.record import Verdict

__all__ = [
    "NO_BACKGROUND",
    "Background",
    "DeviceFinding",
    "DocumentAddress",
    "FoundMutant",
    "KnownDevice",
    "ReadingText",
]


class DocumentAddress(msgspec.Struct, frozen=True):
    """A document: its title, and where its text is on the web, without a section."""

    title: str
    address: str


class ReadingText(msgspec.Struct, frozen=True):
    """One interpretation in words.

    Attributes:
        title: one line.
        where: documents and sections.
        conflict: what contradicts or is missing.
        adopted: the reading by which cases judge.
        why: who is right, and for what reason.
        effect: what it means for verdicts.
        options: the readings among which a profile may choose, the default first.
    """

    title: str
    where: str
    conflict: str
    adopted: str
    why: str
    effect: str
    options: tuple[str, ...] = ()


class FoundMutant(msgspec.Struct, frozen=True):
    """A mutant that a case finds: its name, what it does wrongly, and the requirement it breaks."""

    name: str
    deviation: str
    breaks: str


class DeviceFinding(msgspec.Struct, frozen=True):
    """What a published baseline expects of one case.

    Attributes:
        verdict: that the device gets.
        why: what was found out.
        link: where more is said, or nothing.
        sometimes: the device decides by chance whether it deviates.
    """

    verdict: Verdict
    why: str
    link: str = ""
    sometimes: bool = False


class KnownDevice(msgspec.Struct, frozen=True):
    """A device whose results are published.

    Attributes:
        name: `Linux 6.1, linux-server`.
        role: of the device, `responder` or `requester`.
        findings: by the id of a case; of all other cases no deviation is known.
        otherwise: what is known of these, in words.
    """

    name: str
    role: str
    findings: dict[str, tuple[DeviceFinding, ...]]
    otherwise: str


class Background(msgspec.Struct, frozen=True):
    """Everything that is known beside a run.

    Attributes:
        documents: by short name, `rfc8166`.
        bound: whom a requirement binds, by its id.
        readings: by id, `D-10`.
        mutants: those that a case finds, by its id without parameters.
        roles: of the device in a case, by the id of the case.
        devices: what is known of others.
    """

    documents: dict[str, DocumentAddress] = {}
    bound: dict[str, str] = {}
    readings: dict[str, ReadingText] = {}
    mutants: dict[str, tuple[FoundMutant, ...]] = {}
    roles: dict[str, str] = {}
    devices: tuple[KnownDevice, ...] = ()


NO_BACKGROUND: Final = Background()
"""Where nobody knows more than the records say."""
