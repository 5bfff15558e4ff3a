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
stand in a word, in the value of a variable, and in a line (see below):

    {address} {port}   where the tester listens       {length}   octets to fetch or store
    {client_address}   the client's own address,      {offset}   the first of these
                       where MOUNT is served, too     {count}    how many at once
    {mount_port}       TCP port of that               {content}  a file with the `length` octets
    {folder}           an empty folder, made for                 that are to be stored
                       this connection                {output}   a file for what was fetched
    {here}             the folder of the profile

A name in braces that is none of these is an error, unless a `$` precedes it, as a shell's variable;
`{{name}}` stands for the characters `{name}`.

Starting a program for each act takes time.  `resident` names one that stays: it is started when an
act first needs it, reads a line from its standard input for each thing that it is to do, and writes
a line to its standard output when that has ended:

    resident = ["my-client", "--upper-tester", "{folder}"]
    small = { tell = "getattr" }
    read = { tell = "read {length} {output}", prints = "data" }
    write = { tell = "write {length} {content}" }

What a line says is between the profile and the program.  The answer is `done`, or `failed` and the
reason in words; `done` and the digest where the act `prints` a SHA-256; what an act fetched as
`data` is in the file `{output}` by then.  It is told one thing at a time: while one does not answer
another is started beside it.  One that does not answer in time is killed, with whatever it started,
as all are before each `prepare`; it must end by itself when its standard input does.  If it ends
before that, the client has died: the case fails by it, and the next act starts it again.  One that
refuses to run beside another, and ends with a status before its first answer, has not died.

This module knows the format; `targets.upper_tester.commands` runs what it says.
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

__all__ = ["PLACEHOLDERS", "Acts", "Command", "Prints", "expand", "reason_of_end", "uses"]

PLACEHOLDERS: Final = frozenset(
    (
        *("address", "port", "client_address", "mount_port", "folder", "here"),
        *("length", "offset", "count", "content", "output"),
    )
)

_BRACES: Final = re.compile(r"\{\{(?P<literal>[a-z_]+)\}\}|(?<!\$)\{(?P<name>[a-z_]+)\}")

_COMMANDS: Final = (
    "prepare", "release", "resident", "null", "small", "read", "write", "long_call", "long_reply",
    "many", "many_reads", "read_two", "read_optional", "write_optional", "read_array",
    "write_array", "read_rows", "write_rows", "exchange_authenticated", "exchange_integrity",
    "exchange_privacy", "disconnect", "ask_size", "ask_invalidation", "change_size", "read_at",
    "read_cached", "read_mapped", "write_at", "write_cached", "write_mapped", "make_link",
    "keep_list", "keep_attribute", "list_names",
)  # fmt: skip
"""The keys whose values are commands."""

_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class Prints(Enum):
    """What an act leaves for the tester."""

    NOTHING = "nothing"
    """Nothing of interest."""
    DATA = "data"
    """The octets that the client fetched, and nothing else: a command on its standard output, the
    resident program in the file `{output}`."""
    SHA256 = "sha256"
    """Their SHA-256 in hexadecimal digits as the first word, as `sha256sum` does."""


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a client is made to do one thing, or why it cannot be.

    Attributes:
        run: the command, as words or as one string to be split.
        tell: instead, what the resident program is told: one line.
        environment: variables for it, added to those of all commands.
        prints: what to make of its output.
        deadline: seconds that it may take; the table's, if 0.
        unsupported: instead of all this, why there is none, in a few words.
    """

    run: tuple[str, ...] | str = ()
    tell: str = ""
    environment: dict[str, str] = {}
    prints: Prints = Prints.NOTHING
    deadline: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    unsupported: str = ""

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        if [bool(self.run), bool(self.tell), bool(self.unsupported)].count(True) != 1:
            raise ValueError("give one of `run`, `tell` and `unsupported`")
        for word in (*self.words, self.tell, *self.environment.values()):
            _check(word)
        self._check_output()

    @property
    def words(self) -> tuple[str, ...]:
        """Program and arguments, with their placeholders."""
        return tuple(shlex.split(self.run)) if isinstance(self.run, str) else self.run

    def _check_output(self) -> None:
        if "\n" in self.tell:
            raise ValueError("`tell` is more than one line")
        if self.tell and self.environment:
            raise ValueError("the program of `tell` has its `environment` already")
        if (bool(self.tell) and self.prints is Prints.DATA) != uses(self, "output"):
            raise ValueError("{output} stands in `tell` where that `prints` data, and only there")


class Acts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Everything that a client can be brought to do.

    Beside these there is a key for each act of `targets.base.ActKind`, of the same name.

    Attributes:
        prepare: what makes it connect, and be ready for the others.
        release: what ends all that, whether the tester still answers or not.
        resident: a program that stays, and is told what to do by lines.
        here: what {here} stands for; the folder of the profile unless given.
        environment: variables for every command, added to those of the suite.
        deadline: seconds that a command may take unless it says otherwise.
        any_length: octets to fetch or store where a case leaves that open.
        kernel_log: the client is this machine's kernel, and dies when its log says so.
    """

    prepare: str | tuple[str, ...] | Command
    release: str | tuple[str, ...] | Command | None = None
    resident: str | tuple[str, ...] | None = None
    here: str = ""
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
    read_two: str | tuple[str, ...] | Command | None = None
    read_optional: str | tuple[str, ...] | Command | None = None
    write_optional: str | tuple[str, ...] | Command | None = None
    read_array: str | tuple[str, ...] | Command | None = None
    write_array: str | tuple[str, ...] | Command | None = None
    read_rows: str | tuple[str, ...] | Command | None = None
    write_rows: str | tuple[str, ...] | Command | None = None
    exchange_authenticated: str | tuple[str, ...] | Command | None = None
    exchange_integrity: str | tuple[str, ...] | Command | None = None
    exchange_privacy: str | tuple[str, ...] | Command | None = None
    disconnect: str | tuple[str, ...] | Command | None = None
    ask_size: str | tuple[str, ...] | Command | None = None
    ask_invalidation: str | tuple[str, ...] | Command | None = None
    change_size: str | tuple[str, ...] | Command | None = None
    read_at: str | tuple[str, ...] | Command | None = None
    read_cached: str | tuple[str, ...] | Command | None = None
    read_mapped: str | tuple[str, ...] | Command | None = None
    write_at: str | tuple[str, ...] | Command | None = None
    write_cached: str | tuple[str, ...] | Command | None = None
    write_mapped: str | tuple[str, ...] | Command | None = None
    make_link: str | tuple[str, ...] | Command | None = None
    keep_list: str | tuple[str, ...] | Command | None = None
    keep_attribute: str | tuple[str, ...] | Command | None = None
    list_names: str | tuple[str, ...] | Command | None = None

    def __post_init__(self) -> None:
        """Check each command by its own rules, and that `prepare` is one."""
        for value in self.environment.values():
            _check(value)
        for field in _COMMANDS:
            key = field.replace("_", "-")
            try:
                command = self._command(field)
            except ValueError as error:
                raise ValueError(f"`{key}`: {error}") from error
            if command is not None and field in ("prepare", "release") and command.unsupported:
                raise ValueError(f"`{field}` must be a command")
            if command is not None and field == "release" and command.tell:
                raise ValueError("`release` must be a command: the resident program may hang")
            if command is not None and command.tell and self.resident is None:
                raise ValueError(f"`{key}` tells a program; say which as `resident`")

    @property
    def preparing(self) -> Command:
        """What makes the client connect."""
        return _as_command(self.prepare)

    @property
    def releasing(self) -> Command | None:
        """What ends all that; None if nothing is needed."""
        return None if self.release is None else _as_command(self.release)

    @property
    def staying(self) -> Command:
        """The program that stays.

        Raises:
            ValueError: there is none.
        """
        command = self._command("resident")
        if command is None:
            raise ValueError("the profile has no `resident` in its table [acts]")
        return command

    def of(self, kind: ActKind) -> Command | None:
        """The command for an act; None if the profile does not mention it."""
        return self._command(kind.value.replace("-", "_"))

    def use(self, placeholder: str) -> bool:
        """Whether a placeholder stands in any command, or in a variable for all of them."""
        commands = [self._command(field) for field in _COMMANDS]
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
    """Whether a placeholder stands in a command or line, or in a variable of its own."""
    texts = (*command.words, command.tell, *command.environment.values())
    return any(found["name"] == placeholder for one in texts for found in _BRACES.finditer(one))


def reason_of_end(complaints: str, status: int) -> str:
    """Why a program failed, in a few words.

    Args:
        complaints: its standard error, whose last line it is.
        status: of its end, a signal's number negative; what there is to say if it was silent.
    """
    lines = complaints.split("\n")
    how = f"exit status {status}" if status >= 0 else f"ended by signal {-status}"
    return next((line.strip() for line in reversed(lines) if line.strip()), how)


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
