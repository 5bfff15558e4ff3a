from __future__ import annotations

import tomllib

import pytest

from targets.base import ActKind
from targets.profile import TABLES, Binding
from targets.profile_keys import profile_keys, profile_tables, toml_value


def test_every_key_of_every_table_is_there_in_its_order() -> None:
    told = {table.name: tuple(key.name for key in table.keys) for table in profile_tables()}

    for name, held in TABLES.items():
        assert told[name] == held.__struct_encode_fields__
    assert list(told)[-1] == "acts.NAME"


def test_every_key_and_table_has_a_meaning_and_a_kind() -> None:
    """A key whose docstring says nothing would have raised; one that says little shows here."""
    assert all(table.meaning for table in profile_tables())
    assert [
        key.dotted for key in profile_keys().values() if len(key.meaning) < 8 or not key.kind
    ] == []


def test_an_act_has_the_words_of_its_kind() -> None:
    assert profile_keys()["acts.read-at"].meaning.startswith("Fetch `length` octets from octet")
    assert {f"acts.{kind.value}" for kind in ActKind} <= set(profile_keys())


@pytest.mark.parametrize(
    ("key", "kind", "default", "required"),
    [
        ("claims.versions", "list, each whole number, 1 or more", "", True),
        ("claims.max_segments", "whole number, 1 or more", "16", False),
        ("claims.backward", "true or false", "false", False),
        ("extra.port", "whole number, 0 to 65535", "20049", False),
        ("extra.grace", "number above 0", "0.2", False),
        ("extra.start", "number, 0 or more", "0.0", False),
        ("extra.interpretations", "table of names, each text", "{}", False),
        ("fabric", 'one of "", "roce", "verbs"', '""', False),
        ("lab", "table", "", False),
        (
            "acts.prepare",
            "command, as text or list of words, or a table as [acts.NAME]",
            "",
            True,
        ),
        ("acts.NAME.prints", 'one of "nothing", "data", "sha256"', '"nothing"', False),
    ],
)
def test_a_key_says_what_may_stand_there(key: str, kind: str, default: str, required: bool) -> None:
    told = profile_keys()[key]
    assert (told.kind, told.default, told.required) == (kind, default, required)


def test_choices_are_explained() -> None:
    words = dict(profile_keys()["binding"].choices)
    assert set(words) == {member.value for member in Binding}
    assert all(words.values())


@pytest.mark.parametrize(
    "value", [True, 7, 0.5, 'a "quote" \\ and\ttab\x7f', ["a", "b"], [], {}, "é"]
)
def test_values_are_written_as_toml_reads_them(value: object) -> None:
    assert tomllib.loads(f"key = {toml_value(value)}") == {"key": value}


def test_what_toml_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        toml_value(None)
