"""Every key of a profile is explained."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import inspect

from documentation.profile_keys import profile_page, type_in_words
from targets.profile import Claims, Extra, Lab, Profile

ROWS = [line.split(" | ") for line in profile_page().splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("kind", [Profile, Claims, Extra, Lab])
def test_each_key_is_there(kind: type[msgspec.Struct]) -> None:
    named = {row[0].strip("| `") for row in ROWS}
    assert {field.encode_name for field in msgspec.structs.fields(kind)} <= named


def test_each_key_has_a_meaning_and_a_type() -> None:
    assert [row[0] for row in ROWS if not re.search(r"\w", row[3]) or row[1] == "any"] == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (bool, "true or false"),
        (Annotated[int, msgspec.Meta(ge=1, le=9)], "whole number from 1 up to 9"),
        (Annotated[float, msgspec.Meta(gt=0)], "number above 0"),
        (tuple[str, ...], "list of text"),
        (dict[str, str], "table of text"),
        (Literal["", "roce"], "empty or `roce`"),
        (str | None, "text"),
    ],
)
def test_types_are_told_in_words(kind: object, words: str) -> None:
    assert type_in_words(inspect.type_info(kind)) == words
