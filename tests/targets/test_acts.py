"""The table [acts] of a profile: what may stand in it, and what is said of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from targets.acts import PLACEHOLDERS, Acts, Command, Prints, expand, reason_of_end, uses
from targets.base import ActKind
from targets.profile import ProfileError, load_profile

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = """
name = "mine"
adapter = "command"
binding = "nfs3"
[claims]
roles = ["requester"]
versions = [1]
[extra]
address = "192.0.2.7"
[acts]
prepare = "connect {address}:{port}"
"""


def acts(text: str) -> Acts:
    return msgspec.toml.decode(text, type=Acts)


def test_a_command_is_words_or_one_string_or_a_table() -> None:
    table = acts(
        "prepare = 'mount \"a b\"'\nsmall = ['stat', 'a b']\n[read]\nrun = 'cat x'\nprints = 'data'"
    )

    assert table.preparing.words == ("mount", "a b")
    small, read = table.of(ActKind.SMALL), table.of(ActKind.READ)
    assert small is not None
    assert small.words == ("stat", "a b")
    assert read is not None
    assert (read.words, read.prints) == (("cat", "x"), Prints.DATA)


def test_every_act_has_a_key_of_its_name() -> None:
    table = acts("prepare = 'x'\n" + "\n".join(f"{kind} = 'do {kind}'" for kind in ActKind))

    for kind in ActKind:
        assert table.of(kind) == Command(run=f"do {kind}")


def test_what_is_not_mentioned_is_not_there() -> None:
    table = acts("prepare = 'x'")

    assert table.of(ActKind.NULL) is None
    assert table.releasing is None


def test_a_profile_says_why_an_act_cannot_be_brought_about() -> None:
    table = acts("prepare = 'x'\nnull = { unsupported = 'only while mounting' }")

    assert table.of(ActKind.NULL) == Command(unsupported="only while mounting")


@pytest.mark.parametrize(
    ("line", "key", "problem"),
    [
        ("smal = 'x'", "acts.smal", "is unknown"),
        ("small = 3", "acts.small", "Expected `str"),
        ("small = ''", "acts", "`small`: give one of `run`, `tell` and `unsupp"),
        ("small = 'stat {floder}'", "acts", "`small`: {floder} is no placeholder; there are"),
        ('small = "stat \'x"', "acts", "`small`: No closing quotation"),
        ("release = { unsupported = 'x' }", "acts", "`release` must be a command"),
        ("small = { run = 'x', unsupported = 'y' }", "acts.small", "give one of"),
        ("small = { run = 'x', tell = 'y' }", "acts.small", "give one of"),
        ("small = { tell = 'x' }", "acts", "`small` tells a program; say which as `resident`"),
        ("release = { tell = 'x' }", "acts", "`release` must be a command: the resident"),
        ('small = { tell = "x\\ny" }', "acts.small", "`tell` is more than one line"),
        ("small = { tell = 'x {floder}' }", "acts.small", "{floder} is no placeholder"),
        ("small = { tell = 'x', environment = { A = 'b' } }", "acts.small", "has its `env"),
        ("read = { tell = 'x', prints = 'data' }", "acts.read", "{output} stands in `tell` where"),
        ("read = { tell = 'x {output}' }", "acts.read", "{output} stands in `tell` where"),
        ("read = { run = 'x {output}', prints = 'data' }", "acts.read", "and only there"),
        ("small = { run = 'x', prints = 'md5' }", "acts.small.prints", "Invalid enum"),
        ("deadline = 0", "acts.deadline", "> 0"),
    ],
)
def test_a_bad_table_is_refused_with_its_key(
    tmp_path: Path, line: str, key: str, problem: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE + line)

    with pytest.raises(ProfileError) as caught:
        load_profile(path)

    assert caught.value.key == key
    assert problem in caught.value.problem


def test_prepare_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE.replace("prepare", "release"))

    with pytest.raises(ProfileError, match=r"key `acts\.prepare`: is missing"):
        load_profile(path)


def test_placeholders_are_replaced_wherever_they_stand_in_a_word() -> None:
    values = {"address": "10.9.0.1", "port": "7"}

    assert expand("addr={address},port={port}", values) == "addr=10.9.0.1,port=7"


@pytest.mark.parametrize("word", ["${port}", "{ port }", "{}", "{port", "{Port}"])
def test_what_is_no_placeholder_stays(word: str) -> None:
    assert expand(word, {"port": "7"}) == word


def test_double_braces_stand_for_single_ones() -> None:
    assert expand("{{port}}", {"port": "7"}) == "{port}"


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="length"):
        expand("{length}", {"port": "7"})


def test_here_is_the_folder_of_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(PROFILE)
    table = load_profile(path).acts
    path.write_text(PROFILE + "here = '/elsewhere'")
    other = load_profile(path).acts

    assert table is not None
    assert table.here == str(tmp_path.resolve())
    assert other is not None
    assert other.here == "/elsewhere"


def test_a_table_without_a_resident_program_says_so() -> None:
    assert acts("prepare = 'x'\nresident = 'y z'").staying.words == ("y", "z")
    with pytest.raises(ValueError, match="has no `resident`"):
        _ = acts("prepare = 'x'").staying


def test_which_placeholders_a_command_uses_is_known() -> None:
    command = Command(run="dd of={folder}/x bs={length} {{count}} ${port}")

    assert {name for name in PLACEHOLDERS if uses(command, name)} == {"folder", "length"}


@pytest.mark.parametrize(
    "line",
    [
        "small = '{port}'",
        "environment = { A = '{port}' }",
        "read = { run = 'x{port}' }",
        "resident = 'x {port}'",
        "resident = 'x'\nsmall = { tell = 'y {port}' }",
    ],
)
def test_which_placeholders_a_table_uses_is_known(line: str) -> None:
    table = acts(f"prepare = 'x {{folder}}'\n{line}")

    assert {name for name in PLACEHOLDERS if table.use(name)} == {"folder", "port"}


@pytest.mark.parametrize(
    ("complaints", "status", "why"),
    [
        ("one\ntwo\n\n", 3, "two"),
        ("", 3, "exit status 3"),
        ("", 0, "exit status 0"),
        ("\n", -15, "ended by signal 15"),
    ],
)
def test_why_it_ended_is_its_last_complaint_or_its_status(
    complaints: str, status: int, why: str
) -> None:
    assert reason_of_end(complaints, status) == why
