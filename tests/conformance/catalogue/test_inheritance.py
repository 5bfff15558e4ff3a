"""The rules of Version One under the ids of Version Two: one answer each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from conformance.catalogue.entries import CatalogueError, load_catalogue
from conformance.catalogue.inheritance import GOES_ON, load_inheritance, statement, statements

CONFORMANCE = Path(__file__).parents[3] / "conformance"
JUDGES = ("oracle", "tester", "verify", "backward", "options", "explore")
"""What judges messages of either version; a case of `scenarios` is about one document."""

ONE = ("rfc8166.4.5.error-xid-echoed", "rfc8166.3.4.6.segments-returned")
GENERAL = "rfc8166.2.2.4.2.roundup-is-zero-octets"


def texts_in(*folders: str) -> set[str]:
    """Every text that stands as a word of its own in the code of these folders."""
    return {
        node.value
        for folder in folders
        for path in (CONFORMANCE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def ids_in(*folders: str) -> set[str]:
    """Every id of the catalogue that stands as a word of its own in the code of these folders."""
    return texts_in(*folders) & {entry.id for entry in load_catalogue()}


def test_every_id_in_the_code_is_in_the_catalogue() -> None:
    form = re.compile(r"(rfc8166|bidir|v2|xcharext|rtrext)\.[1-9][0-9.]*\.[a-z][a-z0-9-]+")
    named = {text for text in texts_in(".") if form.fullmatch(text)}

    assert named
    assert named - {entry.id for entry in load_catalogue()} == set()


def test_every_rule_that_is_judged_has_one_answer_in_each_version_and_no_other_stands_there() -> (
    None
):
    judged = {one for one in ids_in(*JUDGES) if one.startswith(("rfc8166.", "bidir."))}

    assert set(load_inheritance()) == judged
    assert all(statement(one, 1) == one for one in judged)


def test_cases_about_version_two_speak_by_the_ids_of_its_documents() -> None:
    cited = ids_in("scenarios/v2", "scenarios/xcharext")

    assert cited
    assert {one for one in cited if statement(one, 2) != one} == set()


@pytest.mark.parametrize("document", ["v2", "xcharext", "rtrext"])
def test_statements_of_the_documents_about_version_two_keep_their_ids(document: str) -> None:
    ids = [entry.id for entry in load_catalogue().select(document=document)]

    assert ids
    assert [statement(one, 2) for one in ids] == ids


def test_both_sides_of_every_answer_are_in_the_catalogue() -> None:
    catalogue = load_catalogue()

    assert all(catalogue[one] and catalogue[two] for one, two in load_inheritance().items())
    assert {two.partition(".")[0] for two in load_inheritance().values()} == {"v2"}


def test_only_messages_of_version_two_are_judged_by_its_ids() -> None:
    assert statements(ONE, 1) == ONE
    assert statements(ONE, 3) == ONE
    assert statements(ONE, 2) == ("v2.4.2.3.error-echoes-the-xid", "v2.1.write-chunks-as-before")


def test_rules_of_one_group_are_named_once() -> None:
    both = ("rfc8166.3.4.6.segments-returned", "rfc8166.3.4.6.segment-count-returned")

    assert statements((*both, "v2.5.x"), 2) == ("v2.1.write-chunks-as-before", "v2.5.x")


def test_a_rule_without_words_of_version_two_is_named_beside_the_general_statement() -> None:
    assert statement(GENERAL, 2) == GOES_ON
    assert statements((GENERAL,), 2) == (GOES_ON, GENERAL)


def test_a_rule_that_the_table_does_not_have_is_not_guessed() -> None:
    with pytest.raises(LookupError, match=r"inherits\.toml does not say"):
        statement("rfc8166.9.of-no-importance", 2)


def test_a_rule_with_two_answers_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "inherits.toml"
    table.write_text('"v2.5.x" = ["rfc8166.1.a"]\n"v2.5.y" = ["rfc8166.1.a"]\n')

    with pytest.raises(CatalogueError, match=r"rfc8166\.1\.a: stands under v2\.5\.x and v2\.5\.y"):
        load_inheritance(table)


def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "inherits.toml"
    table.write_text("no table")

    with pytest.raises(CatalogueError, match="mend the table"):
        load_inheritance(table)
