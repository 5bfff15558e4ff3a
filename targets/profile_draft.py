"""Drafts of target profiles that explain themselves.

Every key of the tables that a kind of device needs stands in the draft, with what it means: those
that were answered with a value, the others as a comment with their default.  The words are those of
`targets.profile_keys`.
"""

from __future__ import annotations

import shlex
import textwrap
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.profile_keys import ProfileKey, ProfileTable, profile_keys, profile_tables, toml_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["KINDS", "DeviceKind", "Question", "draft_profile", "value_of"]

_WIDTH: Final = 98

_HEAD: Final = """\
# What is known of a device under test: its claims, and what testing it takes.
# A key that is a comment has the value shown; `rpcrdma explain profile` lists all keys.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """What a draft cannot know by itself.

    Attributes:
        key: dotted name of the key that the answer is for.
        text: what is asked.
        usual: the answer of who gives none, as it is written; empty if one must be given.
    """

    key: str
    text: str
    usual: str = ""

    @property
    def option(self) -> str:
        """Name of the option of the command line that answers it, `--address`."""
        return f"--{self.key.rpartition('.')[2].replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """A way in which a device is reached.

    Attributes:
        title: what it is, for people.
        tables: names of the tables that its profile has.
        fixed: dotted key -> value that follows from the kind, as it is written.
        questions: the rest.
    """

    title: str
    tables: tuple[str, ...]
    fixed: Mapping[str, str]
    questions: tuple[Question, ...]


_NAME: Final = Question("name", "Name of the target, as reports call it", "my-target")
_VERSIONS: Final = Question("claims.versions", "Versions of RPC-over-RDMA that it speaks", "1")
_PORT: Final = Question("extra.port", "Port", "20049")
_EXPORT: Final = Question(
    "extra.export", "Path of the export that holds the suite's files (NFS)", "/"
)

KINDS: Final[Mapping[str, DeviceKind]] = {
    "server": DeviceKind(
        "a server at an address, which somebody else starts",
        ("", "claims", "extra"),
        {"adapter": '"network"', "claims.roles": '["responder"]'},
        (
            _NAME,
            Question("binding", "What it serves: nfs4, nfs3, testprog or null-only", "nfs4"),
            _VERSIONS,
            Question("extra.address", "Address at which it listens"),
            _PORT,
            _EXPORT,
        ),
    ),
    "lab-server": DeviceKind(
        "a server that is started in the lab, a virtual machine",
        ("", "claims", "extra", "lab"),
        {
            "adapter": '"network"',
            "claims.roles": '["responder"]',
            "extra.address": '"10.9.0.1"',
            "extra.deadline": "20.0",
            "lab.files": '["tree"]',
        },
        (
            _NAME,
            Question("binding", "What it serves: nfs4, nfs3, testprog or null-only", "nfs4"),
            _VERSIONS,
            _PORT,
            _EXPORT,
            Question("lab.start", "Command that starts it; it listens at 10.9.0.1"),
        ),
    ),
    "client": DeviceKind(
        "a client that commands bring to act",
        ("", "claims", "extra", "acts"),
        {"adapter": '"command"', "claims.roles": '["requester"]'},
        (
            _NAME,
            Question("binding", "What it calls: nfs4, nfs3 or testprog", "nfs4"),
            _VERSIONS,
            Question("extra.address", "Address of this machine at which it finds the tester"),
            _PORT,
            Question("acts.prepare", "Command that makes it connect, such as a mount"),
            Question("acts.small", "Command that makes one small call, such as `stat {folder}`"),
        ),
    ),
    "python": DeviceKind(
        "an endpoint in Python, by an entry point",
        ("", "claims", "extra"),
        {"claims.roles": '["responder"]', "extra.address": '"127.0.0.1"', "extra.port": "0"},
        (
            _NAME,
            Question("adapter", "Name of the entry point that makes it"),
            Question("binding", "What it serves: testprog, nfs4, nfs3 or null-only", "testprog"),
            _VERSIONS,
        ),
    ),
}
"""Word -> kind of device."""

_PROGRAMS: Final = {
    "nfs4": {"extra.program": "100003", "extra.program_version": "4"},
    "nfs3": {"extra.program": "100003", "extra.program_version": "3"},
    "testprog": {"extra.program": "0x20008166", "extra.program_version": "1"},
}
"""Binding -> what follows from it."""


def value_of(key: str, answer: str) -> str:
    """An answer as it is written in a profile: texts quoted, words of a command or a list split.

    Args:
        key: dotted name.
        answer: as a person gave it, quoted or not.

    Raises:
        ValueError: it is nothing that the key takes.
    """
    kind = profile_keys()[key].kind
    if kind.startswith("list"):
        if answer.startswith("["):
            return _checked(answer)
        words = answer.replace(",", " ").split() if "number" in kind else shlex.split(answer)
        items = [word if "number" in kind else toml_value(word) for word in words]
        return _checked(f"[{', '.join(items)}]")
    if kind.startswith(("text", "one of", "command")):
        return _checked(answer if answer.startswith(('"', "[", "{")) else toml_value(answer))
    return _checked(answer)


def draft_profile(kind: DeviceKind, answers: Mapping[str, str]) -> str:
    """The text of a profile.

    Args:
        kind: of device.
        answers: dotted key -> value, as it is written.
    """
    binding = answers.get("binding", "").strip('"')
    values = {**_PROGRAMS.get(binding, {}), **kind.fixed, **answers}
    parts = [_HEAD]
    tables = {table.name: table for table in profile_tables()}
    parts += ["\n".join(_table(tables[name], values)) + "\n" for name in kind.tables]
    return "\n".join(parts)


def _table(table: ProfileTable, values: Mapping[str, str]) -> Iterator[str]:
    if table.name:
        yield f"[{table.name}]"
        yield from _comment(table.meaning)
    for key in table.keys:
        if key.kind == "table":
            continue
        yield ""
        yield from _comment(key.meaning)
        yield from (f"#   {toml_value(word)}: {text}" for word, text in key.choices)
        if value := values.get(key.dotted, ""):
            yield f"{key.name} = {value}"
        else:
            yield f"# {key.name} = {key.default or _example(key)}"


def _example(key: ProfileKey) -> str:
    """What could stand there, for a key without a default."""
    return '"..."' if key.kind.startswith(("text", "command", "one of")) else "..."


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _checked(value: str) -> str:
    try:
        tomllib.loads(f"key = {value}")
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"`{value}` is no value of TOML") from error
    return value
