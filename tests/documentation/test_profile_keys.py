"""Every key of a profile is explained."""

from __future__ import annotations

import re

import msgspec
import pytest

from documentation.profile_keys import profile_page
from targets.profile import Claims, Extra, Lab, Profile

ROWS = [line.split(" | ") for line in profile_page().splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("kind", [Profile, Claims, Extra, Lab])
def test_each_key_is_there(kind: type[msgspec.Struct]) -> None:
    named = {row[0].strip("| `") for row in ROWS}
    assert {field.encode_name for field in msgspec.structs.fields(kind)} <= named


def test_each_key_has_a_meaning_and_a_type() -> None:
    assert [row[0] for row in ROWS if not re.search(r"\w", row[3]) or row[1] == "any"] == []
