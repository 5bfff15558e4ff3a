from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from targets.profile import load_profile
from targets.profile_draft import KINDS, draft_profile, value_of
from targets.profile_keys import profile_tables

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = {
    "adapter": "reference",
    "extra.address": "192.0.2.7",
    "lab.start": "my-server --listen '10.9.0.1 and more'",
    "acts.prepare": "mount {address}:/ {folder}",
    "acts.small": "stat {folder}",
}


def draft(kind: str, **answers: str) -> str:
    questions = KINDS[kind].questions
    given = {one.key: answers.get(one.key) or one.usual or ANSWERS[one.key] for one in questions}
    return draft_profile(KINDS[kind], {key: value_of(key, text) for key, text in given.items()})


@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_is_a_profile(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(draft(kind))
    profile = load_profile(path)
    assert profile.name == "my-target"
    assert profile.versions == (1, 1)
    assert (profile.acts is not None) is (kind == "client")
    assert (profile.lab is not None) is (kind == "lab-server")


@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_has_every_key_of_its_tables_with_its_meaning(kind: str) -> None:
    text = draft(kind)
    flowing = re.sub(r"\n# +", " ", text)
    for table in profile_tables():
        if table.name in KINDS[kind].tables:
            for key in (one for one in table.keys if one.kind != "table"):
                assert re.search(rf"^(# )?{key.name} = ", text, re.MULTILINE), key.dotted
                assert key.meaning in flowing


def test_what_is_a_comment_is_the_default(tmp_path: Path) -> None:
    """With the comment marks gone, the draft says the same."""
    text = draft("server")
    said = re.sub(r"^# (\w+ = .*)$", r"\1", text, flags=re.MULTILINE)
    for name, content in (("draft", text), ("said", said)):
        (tmp_path / f"{name}.toml").write_text(content)
    assert load_profile(tmp_path / "draft.toml") == load_profile(tmp_path / "said.toml")


def test_the_program_follows_from_the_binding() -> None:
    extra = tomllib.loads(draft("server", binding="nfs3"))["extra"]
    assert (extra["program"], extra["program_version"]) == (100003, 3)


@pytest.mark.parametrize(
    ("key", "answer", "value"),
    [
        ("name", "mine", '"mine"'),
        ("name", '"mine"', '"mine"'),
        ("extra.port", "0", "0"),
        ("claims.versions", "1, 2", "[1, 2]"),
        ("claims.versions", "[2]", "[2]"),
        ("claims.roles", "responder requester", '["responder", "requester"]'),
        ("lab.start", "a 'b c'", '["a", "b c"]'),
        ("acts.small", 'stat "{folder}"', '"stat \\"{folder}\\""'),
        ("acts.small", '["stat", "x"]', '["stat", "x"]'),
    ],
)
def test_answers_are_written_as_the_key_takes_them(key: str, answer: str, value: str) -> None:
    assert value_of(key, answer) == value


@pytest.mark.parametrize(
    ("key", "answer"), [("extra.port", "many"), ("claims.versions", "one"), ("name", '"mine')]
)
def test_an_answer_that_is_no_value_is_refused(key: str, answer: str) -> None:
    with pytest.raises(ValueError, match="is no value of TOML"):
        value_of(key, answer)
