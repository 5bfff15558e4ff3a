"""The requirement catalogue: what the documents demand, entry by entry.

One TOML file a document under `conformance/catalogue/`; this module loads them, checks them and
finds entries.  An entry carries our paraphrase and the fingerprint of the document's sentence
(`conformance.catalogue.sentences`), never the sentence.

    catalogue = load_catalogue()
    catalogue["rfc8166.4.5.1.err-vers-range"].text
    catalogue.select(section="4.5", role=Role.RESPONDER)

What a malformed file raises names file, entry and what to do.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import meant
from conformance.catalogue.sentences import fingerprint
from conformance.catalogue.vocabulary import Level, Role, Testability
from reports.record import Citation, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Document",
    "Level",
    "Requirement",
    "Role",
    "Testability",
    "UnknownRequirement",
    "load_catalogue",
    "load_document",
]

FOLDER: Final = Path(__file__).parent
"""Where the catalogue's files are."""

INHERITS: Final = FOLDER / "inherits.toml"
"""The file beside them that holds no requirements (`conformance.catalogue.inheritance`)."""

_ID: Final = re.compile(r"([a-z][a-z0-9]*)\.((?:\d+|[A-Z])(?:\.\d+)*)\.([a-z0-9]+(?:-[a-z0-9]+)*)")
_FINGERPRINT: Final = re.compile(r"sha256:[0-9a-f]{64}")
_INTERPRETATION: Final = re.compile(r"D-\d{2,3}|V-\d{1,3}")
_PERMITTING: Final = re.compile(r"\b(?:may|should|typically|usually|generally)\b")
"""Words of a paraphrase that binds nobody by itself."""


_ENDPOINTS: Final = frozenset({Role.REQUESTER, Role.RESPONDER})
_EITHER_END: Final = frozenset({Role.BOTH, Role.SENDER, Role.RECEIVER})
_END_OF: Final = {
    Role.REQUESTER: Role.REQUESTER,
    Role.CLIENT: Role.REQUESTER,
    Role.RESPONDER: Role.RESPONDER,
    Role.SERVER: Role.RESPONDER,
}
"""What a device's role is that is bound as such an end: profiles state it forward."""
_WARNING_LEVELS: Final = frozenset({Level.SHOULD, Level.SHOULD_NOT})
_OPEN_LEVELS: Final = frozenset({Level.RULE, Level.MAY})
"""Of which the keyword does not say whether a device fails."""


class CatalogueError(Exception):
    """A catalogue file that cannot be used.

    Attributes:
        path: the file.
        entry: id or number of the entry, empty if the fault is the file's.
        problem: what is wrong.
        hint: what to do about it.
    """

    def __init__(self, path: Path, entry: str, problem: str, hint: str) -> None:
        super().__init__(path, entry, problem, hint)
        self.path = path
        self.entry = entry
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.path}: {self.entry}" if self.entry else f"{self.path}"
        return f"{where}: {self.problem}; {self.hint}"


class UnknownRequirement(LookupError):
    """An id that the catalogue does not have; the message offers those most like it."""


class Requirement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that a document demands of somebody.

    Attributes:
        id: `<document>.<section>.<slug>`; stable, never used for anything else.
        level: keyword of the sentence.
        role: whom it binds.
        text: our paraphrase, one sentence.
        fingerprint: of the document's sentence; shared by the requirements of one sentence.
        test: whether the wire shows it.
        reason: why not, when it does not.
        interpretations: entries of INTERPRETATIONS.md that the requirement is read by.
        unseen: further roles that it binds but of which the wire does not show it, and why.
        advisory: a RULE that rests on a lower-case "should": breaking it is a warning.
        permits: a RULE that rests on a lower-case "may" or "can", or describes what ends do: who
            is named may do otherwise, and breaks nothing.
        needed: of a RULE whose sentence by its words only permits, recommends or describes: why
            the two ends cannot work without it; of a permission: what of it binds who has it.
        restored: its sentence is missing from the copies of the text at hand and known in
            substance only; the fingerprint is that of the paraphrase.
    """

    id: str
    level: Level
    role: Role
    text: str
    fingerprint: str
    test: Testability
    reason: str = ""
    interpretations: tuple[str, ...] = ()
    unseen: dict[Role, str] = msgspec.field(default_factory=dict)
    advisory: bool = False
    permits: bool = False
    needed: str = ""
    restored: bool = False

    @property
    def document(self) -> str:
        """Short name of the document, `rfc8166`."""
        return self.id.partition(".")[0]

    @property
    def section(self) -> str:
        """Number of the section, `4.5.1`."""
        return self.id.partition(".")[2].rpartition(".")[0]

    @property
    def binds(self) -> frozenset[Role]:
        """Which of Requester and Responder a device must be for the requirement to concern it.

        What one end MAY do the other has to bear, so a permission concerns both.
        """
        if self.role in _EITHER_END or (self.is_permission and self.role in _END_OF):
            return _ENDPOINTS
        return frozenset({_END_OF[self.role]} if self.role in _END_OF else ())

    @property
    def is_permission(self) -> bool:
        """Whether it leaves a choice to whoever it names, who therefore cannot break it."""
        return self.permits or self.level is Level.MAY

    @property
    def seen_of(self) -> frozenset[Role]:
        """Of which of Requester and Responder the wire shows whether it is kept.

        Each of these needs a case, and a mutant that the case finds.
        """
        if self.test is not Testability.WIRE:
            return frozenset()
        return self.binds.difference(self.unseen)

    @property
    def verdict_when_broken(self) -> Verdict:
        """WARN for what a document only recommends, FAIL for all else."""
        warns = self.advisory or self.level in _WARNING_LEVELS
        return Verdict.WARN if warns else Verdict.FAIL

    def citation(self) -> Citation:
        """The requirement as reports show it."""
        level = "ADVICE" if self.advisory else self.level.value
        return Citation(self.id, level, self.document, self.section, self.text)


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The catalogue of one document.

    Attributes:
        document: short name.  title: as people know it.
        source: name of the file with its text, where that is not `<document>.txt`.
        retired: ids that have been given up.  requirement: the others.
    """

    document: str
    title: str
    source: str = ""
    retired: tuple[str, ...] = ()
    requirement: tuple[Requirement, ...] = ()


class Catalogue:
    """The requirements of all documents, in the order of the files."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(documents)
        self._by_id = {entry.id: entry for part in self.documents for entry in part.requirement}

    def __getitem__(self, requirement_id: str) -> Requirement:
        """The requirement with an id.

        Raises:
            UnknownRequirement: there is none.
        """
        found = self._by_id.get(requirement_id)
        if found is not None:
            return found
        if any(requirement_id in part.retired for part in self.documents):
            raise UnknownRequirement(f"requirement {requirement_id} has been retired")
        hint = meant(requirement_id, self._by_id)
        raise UnknownRequirement(f"no requirement {requirement_id} in the catalogue{hint}")

    def __contains__(self, requirement_id: object) -> bool:
        return requirement_id in self._by_id

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def select(
        self,
        *,
        document: str | None = None,
        section: str | None = None,
        role: Role | None = None,
        level: Level | None = None,
        test: Testability | None = None,
    ) -> tuple[Requirement, ...]:
        """The requirements to which all the given criteria apply.

        Args:
            document: short name.
            section: number; its subsections count, so `4.5` includes `4.5.1`.
            role: REQUESTER or RESPONDER select all that concerns such a device (see
                `Requirement.binds`); any other role selects the entries that name it.
            level: keyword.
            test: testability.
        """
        return tuple(
            entry
            for entry in self
            if document in (None, entry.document)
            and (section is None or f"{entry.section}.".startswith(f"{section}."))
            and (role is None or role is entry.role or role in entry.binds)
            and level in (None, entry.level)
            and test in (None, entry.test)
        )


@cache
def load_catalogue(folder: Path = FOLDER) -> Catalogue:
    """All documents of a folder, in the order of their file names.

    Raises:
        CatalogueError: a file cannot be read or breaks a rule.
    """
    documents = (path for path in sorted(folder.glob("*.toml")) if path.name != INHERITS.name)
    return Catalogue(load_document(path) for path in documents)


def load_document(path: Path) -> Document:
    """The requirements of one file.

    Raises:
        CatalogueError: the file cannot be read or breaks a rule.
    """
    try:
        with path.open("rb") as file:
            raw = tomllib.load(file)
    except OSError as error:
        raise CatalogueError(path, "", str(error), "check path and permissions") from error
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(path, "", f"no valid TOML: {error}", "mend that line") from error
    try:
        document = msgspec.convert(raw, Document)
    except msgspec.ValidationError as error:
        hint = "conformance/catalogue/entries.py lists the fields and the values that they take"
        raise CatalogueError(path, "", str(error), hint) from error
    _check(path, document)
    return document


def _check(path: Path, document: Document) -> None:
    if path.stem != document.document:
        hint = "name the file after its document"
        raise CatalogueError(path, "", f"document is {document.document!r}", hint)
    seen: set[str] = set()
    for entry in document.requirement:
        problem, hint = _fault(document, entry, seen)
        if problem:
            raise CatalogueError(path, entry.id, problem, hint)
        seen.add(entry.id)


def _fault(document: Document, entry: Requirement, seen: set[str]) -> tuple[str, str]:
    """What is wrong with an entry and how to mend it; two empty strings if nothing is."""
    rules = (
        (
            _ID.fullmatch(entry.id) is None or entry.document != document.document,
            "is no id",
            f"write {document.document}.<section>.<slug>, the slug in lower case with hyphens",
        ),
        (entry.id in seen, "occurs twice", "give one of the two another slug"),
        (entry.id in document.retired, "has been retired", "choose a slug never used before"),
        (
            _FINGERPRINT.fullmatch(entry.fingerprint) is None,
            "has no valid fingerprint",
            "take it from `rpcrdma dev sentences`",
        ),
        (not entry.text.endswith("."), "its text is no sentence", "write one, with a full stop"),
        (
            entry.test is not Testability.WIRE and not entry.reason,
            "lacks a reason",
            "say why the wire does not show it",
        ),
        (
            entry.test is Testability.WIRE and bool(entry.reason),
            "has a reason for not being tested but is tested on the wire",
            "drop the reason or change test",
        ),
        (
            not all(entry.unseen.values()) or not entry.binds.issuperset(entry.unseen),
            "is unseen of a role that it does not bind, or without a reason",
            "name roles of its own in `unseen`, each with a reason",
        ),
        (
            entry.test is Testability.WIRE and not entry.seen_of,
            "is tested on the wire, which shows it of nobody",
            "make it internal or untestable, with the reason",
        ),
        (
            entry.advisory and entry.level is not Level.RULE,
            "is advisory and has a keyword",
            "advisory is for lower-case wording only",
        ),
        (
            entry.permits and (entry.advisory or entry.level is not Level.RULE),
            "is a permission and has a keyword, or is advisory as well",
            "`permits` is for lower-case wording only, and for what nobody recommends",
        ),
        (
            bool(entry.needed) and (entry.advisory or entry.level not in _OPEN_LEVELS),
            "says why it is needed, and is binding or advisory anyway",
            "`needed` is for a RULE that fails a device, or for what of a permission binds",
        ),
        (
            entry.is_permission and not entry.needed and _END_OF.get(entry.role) in entry.seen_of,
            "is a permission, and tested of the end that has it",
            "name that end in `unseen`, make it internal, or say in `needed` what of it binds",
        ),
        (
            _is_soft(entry),
            "binds as a RULE what its text only permits or recommends",
            "mark it `permits` or `advisory`, or say in `needed` why the two ends need it",
        ),
        (
            not all(_INTERPRETATION.fullmatch(name) for name in entry.interpretations),
            "names an interpretation that is no D-number and no V-number",
            "write it as in INTERPRETATIONS.md, D-10",
        ),
        (
            entry.restored and entry.fingerprint != fingerprint(entry.text),
            "is restored and has a fingerprint other than that of its text",
            "take it from conformance.catalogue.sentences.fingerprint",
        ),
    )
    return next(((problem, hint) for broken, problem, hint in rules if broken), ("", ""))


def _is_soft(entry: Requirement) -> bool:
    """Whether it would have a device fail over what its own text leaves open."""
    marked = entry.advisory or entry.permits or entry.needed
    binds = entry.level is Level.RULE and entry.test is Testability.WIRE
    return binds and not marked and _PERMITTING.search(entry.text) is not None
