"""The upper tester in a profile: which commands make a client act (ISO/IEC 9646-1, PIXIT).

A client that the suite did not write acts when somebody runs a program: mounts, reads a file,
unmounts.  The table `[acts]` of a profile has one entry for each thing that the client can be
brought to do; its keys are those of `targets.base.ActKind`, and `prepare` and `release`:

    [acts]
    prepare = ["mount", "-t", "nfs", "-o", "proto=rdma,port={port}", "{address}:/", "{folder}"]
    small = "stat {folder}"
    release = "umount {folder}"

    [acts.read]
    run = "dd if={folder}/file bs={length} count=1"
    prints = "data"

    [acts.long-call]
    unsupported = "no call of this client is that long"

A command is a list of words, or a string that is split into words as a shell would; no shell runs
it.  It ends with status 0 when what it was to do is done.  These placeholders may
stand in a word, and in the value of a variable:

    {address} {port}   where the tester listens       {length}   octets to fetch or store
    {mount_port}       TCP port of its MOUNT service  {count}    how many at once
    {folder}           an empty folder, made for      {content}  a file with the `length` octets
                       this connection                           that are to be stored

A name in braces that is none of these is an error, unless a `$` precedes it, as a shell's variable;
`{{name}}` stands for the characters `{name}`.

This module knows the format; `targets.upper_tester` runs what it says.
"""

from __future__ import annotations

import re
import shlex
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.base import ActKind

__all__ = ["PLACEHOLDERS", "Acts", "Command", "Prints", "expand", "uses"]

PLACEHOLDERS: Final = frozenset(
    ("address", "port", "mount_port", "folder", "length", "count", "content")
)

_BRACES: Final = re.compile(r"\{\{(?P<literal>[a-z_]+)\}\}|(?<!\$)\{(?P<name>[a-z_]+)\}")

_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class Prints(Enum):
    """What a command leaves on its standard output."""

    NOTHING = "nothing"
    """Nothing of interest."""
    DATA = "data"
    """The octets that the client fetched, and nothing else."""
    SHA256 = "sha256"
    """Their SHA-256 in hexadecimal digits as the first word, as `sha256sum` does."""


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a client is made to do one thing, or why it cannot be.

    Attributes:
        run: the command, as words or as one string to be split.
        environment: variables for it, added to those of all commands.
        prints: what to make of its output.
        deadline: seconds that it may take; the table's, if 0.
        unsupported: instead of all this, why there is none, in a few words.
    """

    run: tuple[str, ...] | str = ()
    environment: dict[str, str] = {}
    prints: Prints = Prints.NOTHING
    deadline: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    unsupported: str = ""

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        if bool(self.run) == bool(self.unsupported):
            raise ValueError("give either `run` or `unsupported`")
        for word in (*self.words, *self.environment.values()):
            _check(word)

    @property
    def words(self) -> tuple[str, ...]:
        """Program and arguments, with their placeholders."""
        return tuple(shlex.split(self.run)) if isinstance(self.run, str) else self.run


class Acts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Everything that a client can be brought to do.

    Attributes:
        prepare: what makes it connect, and be ready for the others.
        release: what ends all that, whether the tester still answers or not.
        environment: variables for every command, added to those of the suite.
        deadline: seconds that a command may take unless it says otherwise.
        any_length: octets to fetch or store where a case leaves that open.
        kernel_log: the client is this machine's kernel, and dies when its log says so.
        null, small, read, write, long_call, long_reply, many, many_reads, disconnect: the act of
            that name in `targets.base.ActKind`.
    """

    prepare: str | tuple[str, ...] | Command
    release: str | tuple[str, ...] | Command | None = None
    environment: dict[str, str] = {}
    deadline: _Seconds = 20.0
    any_length: Annotated[int, msgspec.Meta(ge=1)] = 4096
    kernel_log: bool = False

    null: str | tuple[str, ...] | Command | None = None
    small: str | tuple[str, ...] | Command | None = None
    read: str | tuple[str, ...] | Command | None = None
    write: str | tuple[str, ...] | Command | None = None
    long_call: str | tuple[str, ...] | Command | None = None
    long_reply: str | tuple[str, ...] | Command | None = None
    many: str | tuple[str, ...] | Command | None = None
    many_reads: str | tuple[str, ...] | Command | None = None
    disconnect: str | tuple[str, ...] | Command | None = None

    def __post_init__(self) -> None:
        """Check each command by its own rules, and that `prepare` is one."""
        for value in self.environment.values():
            _check(value)
        for field in self.__struct_fields__:
            try:
                command = self._command(field)
            except ValueError as error:
                raise ValueError(f"`{field.replace('_', '-')}`: {error}") from error
            if command is not None and field in ("prepare", "release") and command.unsupported:
                raise ValueError(f"`{field}` must be a command")

    @property
    def preparing(self) -> Command:
        """What makes the client connect."""
        return _as_command(self.prepare)

    @property
    def releasing(self) -> Command | None:
        """What ends all that; None if nothing is needed."""
        return None if self.release is None else _as_command(self.release)

    def of(self, kind: ActKind) -> Command | None:
        """The command for an act; None if the profile does not mention it."""
        return self._command(kind.value.replace("-", "_"))

    def use(self, placeholder: str) -> bool:
        """Whether a placeholder stands in any command, or in a variable for all of them."""
        commands = [self._command(field) for field in self.__struct_fields__]
        variables = Command(run=tuple(self.environment.values()) or ("none",))
        return any(uses(one, placeholder) for one in (variables, *commands) if one is not None)

    def _command(self, field: str) -> Command | None:
        value = getattr(self, field)
        return _as_command(value) if isinstance(value, str | tuple | Command) else None


def expand(word: str, values: Mapping[str, str]) -> str:
    """A word with its placeholders replaced.

    Raises:
        KeyError: a placeholder has no value here.
    """

    def value(found: re.Match[str]) -> str:
        literal = found["literal"]
        return f"{{{literal}}}" if literal else values[found["name"]]

    return _BRACES.sub(value, word)


def uses(command: Command, placeholder: str) -> bool:
    """Whether a placeholder stands in a command, or in a variable of its own."""
    texts = (*command.words, *command.environment.values())
    return any(found["name"] == placeholder for one in texts for found in _BRACES.finditer(one))


def _as_command(value: str | tuple[str, ...] | Command) -> Command:
    return value if isinstance(value, Command) else Command(run=value)


def _check(word: str) -> None:
    for found in _BRACES.finditer(word):
        name = found["name"]
        if name and name not in PLACEHOLDERS:
            known = ", ".join(f"{{{one}}}" for one in sorted(PLACEHOLDERS))
            raise ValueError(
                f"{{{name}}} is no placeholder; there are {known}, or write {{{{{name}}}}}"
            )
