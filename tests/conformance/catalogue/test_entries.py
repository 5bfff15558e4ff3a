"""The catalogue's loader and rules, and the catalogue itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.catalogue.entries import (
    FOLDER,
    INHERITS,
    Catalogue,
    CatalogueError,
    Document,
    Level,
    Requirement,
    Role,
    Testability,
    UnknownRequirement,
    load_catalogue,
    load_document,
)
from conformance.catalogue.interpretations import load_interpretations
from conformance.catalogue.sentences import fingerprint
from reports.record import Verdict

if TYPE_CHECKING:
    from pathlib import Path

CATALOGUE = load_catalogue()

KNOCK = fingerprint("A sender MUST knock and MAY sing.")


def entry(slug: str = "3.1.knock", **changes: object) -> Requirement:
    fields: dict[str, object] = {
        "id": f"doc.{slug}",
        "level": Level.MUST,
        "role": Role.SENDER,
        "text": "Senders knock.",
        "fingerprint": KNOCK,
        "test": Testability.WIRE,
    }
    return Requirement(**{**fields, **changes})  # type: ignore[arg-type]  # one table for all tests


def written(tmp_path: Path, **changes: str) -> Path:
    fields = {
        "id": "doc.3.1.knock",
        "level": "MUST",
        "role": "sender",
        "text": "Senders knock.",
        "fingerprint": KNOCK,
        "test": "wire",
        **changes,
    }
    lines = "\n".join(f'{name} = "{value}"' for name, value in fields.items())
    head = 'document = "doc"\ntitle = "A document"\nretired = ["doc.3.1.shout"]\n'
    path = tmp_path / "doc.toml"
    path.write_text(f"{head}\n[[requirement]]\n{lines}\n")
    return path


def test_shipped_files_load_and_make_one_catalogue() -> None:
    count = sum(
        len(load_document(path).requirement) for path in FOLDER.glob("*.toml") if path != INHERITS
    )

    assert len(CATALOGUE) == count >= 185


def test_cited_interpretations_are_registered() -> None:
    register = load_interpretations()

    assert [
        (item.id, name)
        for item in CATALOGUE
        for name in item.interpretations
        if name not in register
    ] == []


@pytest.mark.parametrize("document", ["rtrext", "v2", "xcharext"])
def test_version_two_binds_and_shows_both_roles(document: str) -> None:
    entries = CATALOGUE.select(document=document)

    for role in (Role.REQUESTER, Role.RESPONDER):
        assert len([item for item in entries if role in item.seen_of]) >= 50


def test_only_lists_that_copies_have_lost_are_restored() -> None:
    restored = [item for item in CATALOGUE if item.restored]

    assert {(item.document, item.section) for item in restored} == {
        ("v2", "4.2.1"),
        ("v2", "4.2.2"),
    }
    assert all("D-01" in item.interpretations for item in restored)


def test_every_reading_that_moves_a_verdict_of_version_two_is_cited() -> None:
    cited = {name for item in CATALOGUE for name in item.interpretations}
    moving = {
        name
        for name, item in load_interpretations().items()
        if item.where.startswith(("rtrext", "v2", "xcharext")) and item.effect != "none"
    }

    assert moving <= cited


def test_texts_are_one_sentence_of_our_own_each() -> None:
    texts = [item.text for item in CATALOGUE]

    assert len(set(texts)) == len(texts)
    assert [text for text in texts if ". " in text] == []


def test_what_the_wire_does_not_show_binds_as_the_role_says() -> None:
    authors = {Role.ULB, Role.SPECIFICATION, Role.PROVIDER, Role.DEPLOYMENT}

    assert [
        item.id for item in CATALOGUE if item.role in authors and item.test is Testability.WIRE
    ] == []


def test_id_gives_document_and_section() -> None:
    requirement = entry("4.5.1.err-vers")

    assert (requirement.document, requirement.section) == ("doc", "4.5.1")


@pytest.mark.parametrize(
    ("role", "level", "ends"),
    [
        (Role.REQUESTER, Level.MUST, {Role.REQUESTER}),
        (Role.REQUESTER, Level.MAY, {Role.REQUESTER, Role.RESPONDER}),
        (Role.SENDER, Level.MUST, {Role.REQUESTER, Role.RESPONDER}),
        (Role.BOTH, Level.RULE, {Role.REQUESTER, Role.RESPONDER}),
        (Role.CLIENT, Level.RULE, {Role.REQUESTER}),
        (Role.SERVER, Level.MUST, {Role.RESPONDER}),
        (Role.SERVER, Level.MAY, {Role.REQUESTER, Role.RESPONDER}),
        (Role.ULB, Level.MAY, set()),
    ],
)
def test_requirement_binds(role: Role, level: Level, ends: set[Role]) -> None:
    assert entry(role=role, level=level).binds == ends


@pytest.mark.parametrize(
    ("level", "advisory", "verdict"),
    [
        (Level.MUST_NOT, False, Verdict.FAIL),
        (Level.RULE, False, Verdict.FAIL),
        (Level.RULE, True, Verdict.WARN),
        (Level.SHOULD, False, Verdict.WARN),
        (Level.SHOULD_NOT, False, Verdict.WARN),
    ],
)
def test_verdict_when_broken(level: Level, advisory: object, verdict: Verdict) -> None:
    assert entry(level=level, advisory=advisory).verdict_when_broken is verdict


def test_citation_shows_level_and_section() -> None:
    citation = CATALOGUE["rfc8166.4.5.1.err-vers-range"].citation()

    assert (citation.level, citation.document, citation.section) == ("MUST", "rfc8166", "4.5.1")


def test_citation_tells_advice_from_a_rule() -> None:
    assert entry(level=Level.RULE).citation().level == "RULE"
    assert entry(level=Level.RULE, advisory=True).citation().level == "ADVICE"


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        ({"level": Level.MAY}, {Role.REQUESTER, Role.RESPONDER}),
        ({"level": Level.RULE, "permits": True}, {Role.REQUESTER, Role.RESPONDER}),
        ({"level": Level.RULE}, {Role.RESPONDER}),
    ],
)
def test_what_one_end_is_permitted_the_other_has_to_bear(
    changes: dict[str, object], seen: set[Role]
) -> None:
    assert entry(role=Role.RESPONDER, **changes).seen_of == seen


def test_unknown_id_offers_its_neighbours() -> None:
    with pytest.raises(UnknownRequirement, match=r"mean .*4\.5\.1\.err-vers-range"):
        CATALOGUE["rfc8166.4.5.1.err-vers-rage"]


def test_retired_id_is_named_as_such() -> None:
    catalogue = Catalogue([Document(document="doc", title="", retired=("doc.1.gone",))])

    with pytest.raises(UnknownRequirement, match="has been retired"):
        catalogue["doc.1.gone"]


def test_select_by_section_takes_subsections_and_no_namesakes() -> None:
    sections = {item.section for item in CATALOGUE.select(section="4.3")}

    assert sections == {
        "4.3",
        "4.3.1",
        "4.3.1.1",
        "4.3.2",
        "4.3.2.1",
        "4.3.2.2",
        "4.3.2.3",
        "4.3.3",
    }


def test_select_by_role_takes_what_concerns_such_a_device() -> None:
    selected = CATALOGUE.select(role=Role.RESPONDER, level=Level.MUST_NOT)

    assert {Role.RESPONDER} == {role for item in selected for role in item.binds} - {Role.REQUESTER}
    assert not {item.role for item in selected} & {Role.REQUESTER, Role.CLIENT, Role.ULB}
    assert "rfc8166.3.3.1.grant-is-never-zero" in {item.id for item in selected}


def test_select_by_document_and_testability() -> None:
    parts = [CATALOGUE.select(document="rfc8166", test=kind) for kind in Testability]

    assert sum(map(len, parts)) == len(CATALOGUE.select(document="rfc8166"))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "doc.knock"}, "is no id"),
        ({"id": "doc.3.1.Knock"}, "is no id"),
        ({"id": "other.3.1.knock"}, "is no id"),
        ({"id": "doc.3.1.shout"}, "has been retired"),
        ({"fingerprint": "sha256:12"}, "has no valid fingerprint"),
        ({"text": "Senders knock"}, "its text is no sentence"),
        ({"test": "internal"}, "lacks a reason"),
        ({"reason": "No."}, "has a reason"),
        ({"level": "ought"}, "Invalid enum value 'ought'"),
        ({"role": "bystander"}, "Invalid enum value 'bystander'"),
        ({"colour": "red"}, "unknown field `colour`"),
    ],
)
def test_faulty_entry_is_refused(tmp_path: Path, changes: dict[str, str], problem: str) -> None:
    path = written(tmp_path, **changes)

    with pytest.raises(CatalogueError) as caught:
        load_document(path)

    assert problem in caught.value.problem
    assert str(caught.value).startswith(str(path))
    assert caught.value.hint in str(caught.value)


def test_advisory_keyword_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text() + "advisory = true\n")

    with pytest.raises(CatalogueError, match="is advisory and has a keyword"):
        load_document(path)


MARKED = "says why it is needed"
PERMITTED = "is a permission, and tested of the end that has it"
TWICE = "is a permission and has a keyword, or is advisory as well"
SOFT = "binds as a RULE what its text only permits or recommends"


@pytest.mark.parametrize(
    ("changes", "more", "problem"),
    [
        ({}, "permits = true", TWICE),
        ({"level": "RULE"}, "permits = true\nadvisory = true", TWICE),
        ({}, 'needed = "So it is."', MARKED),
        ({"level": "RULE"}, 'needed = "So it is."\nadvisory = true', MARKED),
        ({"level": "MAY", "role": "server"}, "", PERMITTED),
        ({"level": "RULE", "role": "requester"}, "permits = true", PERMITTED),
        ({"level": "RULE", "text": "Senders may knock."}, "", SOFT),
        ({"level": "RULE", "text": "Senders typically knock."}, "", SOFT),
    ],
)
def test_what_does_not_bind_is_no_rule(
    tmp_path: Path, changes: dict[str, str], more: str, problem: str
) -> None:
    path = written(tmp_path, **changes)
    path.write_text(f"{path.read_text()}{more}\n")

    with pytest.raises(CatalogueError, match=problem):
        load_document(path)


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"level": "RULE", "text": "Senders may knock."}, 'needed = "Nobody else does."'),
        ({"level": "RULE", "text": "Senders should knock."}, "advisory = true"),
        ({"level": "RULE", "text": "Senders may knock."}, "permits = true"),
        ({"level": "MAY", "role": "server"}, 'unseen = { responder = "It may." }'),
        ({"level": "MAY", "role": "server"}, 'needed = "One of the two comes."'),
        ({"level": "MUST", "text": "Who may knock knocks."}, ""),
    ],
)
def test_what_says_how_far_it_binds_is_taken(
    tmp_path: Path, changes: dict[str, str], more: str
) -> None:
    path = written(tmp_path, **changes)
    path.write_text(f"{path.read_text()}{more}\n")

    assert len(load_document(path).requirement) == 1


def test_foreign_interpretation_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text() + 'interpretations = ["E-1"]\n')

    with pytest.raises(CatalogueError, match="no D-number and no V-number"):
        load_document(path)


def test_restored_entry_with_the_fingerprint_of_another_text_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text() + "restored = true\n")

    with pytest.raises(CatalogueError, match="is restored and has a fingerprint other than"):
        load_document(path)


def test_id_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    head, _, body = path.read_text().partition("[[requirement]]")
    path.write_text(f"{head}[[requirement]]{body}[[requirement]]{body}")

    with pytest.raises(CatalogueError, match=r"doc\.3\.1\.knock: occurs twice"):
        load_document(path)


def test_file_named_otherwise_than_its_document_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path).rename(tmp_path / "other.toml")

    with pytest.raises(CatalogueError, match="name the file after its document"):
        load_document(path)


def test_broken_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "doc.toml"
    path.write_text("document = \n")

    with pytest.raises(CatalogueError, match="no valid TOML"):
        load_document(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="check path and permissions"):
        load_document(tmp_path / "doc.toml")


def test_what_the_wire_shows_of_one_role_only_is_seen_of_that_role() -> None:
    found = entry(role=Role.BOTH, unseen={Role.RESPONDER: "It exposes nothing."})

    assert found.binds == {Role.REQUESTER, Role.RESPONDER}
    assert found.seen_of == {Role.REQUESTER}
    assert entry(test=Testability.INTERNAL, reason="So it is.").seen_of == set()


@pytest.mark.parametrize(
    ("unseen", "problem"),
    [
        ('{ ulb = "Nobody." }', "is unseen of a role that it does not bind, or without a reason"),
        ('{ responder = "" }', "is unseen of a role that it does not bind, or without a reason"),
        ('{ responder = "A.", requester = "B." }', "which shows it of nobody"),
    ],
)
def test_refuses_an_unseen_that_makes_no_sense(tmp_path: Path, unseen: str, problem: str) -> None:
    path = written(tmp_path)
    path.write_text(f"{path.read_text()}unseen = {unseen}\n")

    with pytest.raises(CatalogueError, match=problem):
        load_document(path)
