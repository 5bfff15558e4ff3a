from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.profile import SHIPPED, ProfileError, load_profile, shipped_profiles
from targets.profile_problems import profile_problems

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
name = "mine"
adapter = "command"
binding = "nfs4"
[claims]
roles = ["requester"]
versions = [1]
[extra]
address = "192.0.2.7"
[acts]
prepare = "mount {address}:/ {folder}"
"""

BAD = """
name = "Mine"
adaptor = "network"
binding = "smb"
[claims]
roles = []
versions = [7]
max_segmets = 3
max_read_chunks = -1
extensions = []
[extra]
port = 70000
[lab]
start = "server"
[acts]
prepare = "mount {adress}"
small = { tell = "x" }
read = { run = "x", tell = "y" }
"""


def problems(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return [(found.key, found.problem, found.hint) for found in profile_problems(path)]


def test_a_good_profile_has_none(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == []


@pytest.mark.parametrize("name", shipped_profiles())
def test_shipped_profiles_have_none(name: str) -> None:
    assert profile_problems(SHIPPED / f"{name}.toml") == ()


def test_every_problem_is_told_with_its_key(tmp_path: Path) -> None:
    found = problems(tmp_path, BAD)

    told = {key for key, _, _ in found}
    assert told >= {
        "adaptor",
        "adapter",
        "name",
        "binding",
        "claims.max_segmets",
        "claims.max_read_chunks",
        "claims.extensions",
        "extra.port",
        "extra.address",
        "lab.start",
        "acts.read",
    }
    sentences = " ".join(problem for _, problem, _ in found)
    assert "`roles` is empty" in sentences
    assert "`versions` has 7" in sentences
    assert "{adress} is no placeholder" in sentences
    assert "`small` tells a program" in sentences


def test_an_unknown_key_is_answered_by_the_one_that_was_meant_and_by_all(tmp_path: Path) -> None:
    hints = {key: hint for key, _, hint in problems(tmp_path, BAD)}

    assert "did you mean adapter?: there are name, adapter," in hints["adaptor"]
    assert "did you mean max_segments?: there are roles," in hints["claims.max_segmets"]


def test_the_one_that_loading_tells_is_among_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BAD)

    with pytest.raises(ProfileError) as first:
        load_profile(path)

    assert first.value.args in [found.args for found in profile_problems(path)]


@pytest.mark.parametrize(
    ("text", "problem"), [("[claims", "is not TOML"), (None, "cannot be read")]
)
def test_what_is_no_profile_at_all_is_one_problem(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    path = tmp_path / "mine.toml"
    if text is not None:
        path.write_text(text)

    (found,) = profile_problems(path)

    assert problem in found.problem


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ('"command"', '"comand"', "adapter", "is not installed"),
        ('"requester"', '"responder"', "claims.roles", "adapter `command`"),
        ("[extra]", '[extra]\nserver = ["x"]', "extra.server", "for the adapter `network` alone"),
        ("[extra]", "[extra]\nrenew_after = 9", "extra.renew_after", "that the suite starts"),
        ('"requester"', '"requester", "responder"', "", ""),
        ('[acts]\nprepare = "mount {address}:/ {folder}"', "", "acts", "is missing"),
    ],
)
def test_what_tables_must_agree_on_is_looked_at(
    tmp_path: Path, old: str, new: str, key: str, problem: str
) -> None:
    found = problems(tmp_path, GOOD.replace(old, new))

    assert [one[0] for one in found] == ([key] if key else [])
    assert all(problem in one[1] for one in found)


def test_a_table_that_is_a_value_is_told_so(tmp_path: Path) -> None:
    text = GOOD.replace('[extra]\naddress = "192.0.2.7"', "").replace(
        "[claims]", "extra = 1\n[claims]"
    )

    assert [key for key, _, _ in problems(tmp_path, text)] == ["extra"]
