"""Everything that is wrong with a profile, where `load_profile` ends at the first.

Each key is looked at by itself, beside good ones; then each table as a whole, and what two tables
must agree on.  What this finds no fault with, `load_profile` takes.
"""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

import msgspec

from targets.acts import Acts
from targets.base import nearest
from targets.profile import (
    TABLES,
    Claims,
    Extra,
    Lab,
    Profile,
    ProfileError,
    explained,
    load_profile,
)
from targets.registry import BUILT_IN, GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["profile_problems"]

_GOOD: Final[Mapping[type, dict[str, Any]]] = {
    Claims: {"roles": ["responder"], "versions": [1]},
    Extra: {"address": "192.0.2.1"},
    Lab: {},
    Acts: {"prepare": "true", "resident": "true"},
}
"""What a table holds beside the one key that is looked at."""

_SEE: Final = "see `rpcrdma explain profile`"


def profile_problems(path: Path) -> tuple[ProfileError, ...]:
    """What is wrong with a profile, in the order of its keys; empty if it can be used.

    Args:
        path: the file; if it cannot be read or is not TOML, that is the one problem.
    """
    try:
        profile = load_profile(path)
    except ProfileError as error:
        if not error.key and not isinstance(error.__cause__, msgspec.ValidationError):
            return (error,)
        found = tuple(_of_file(path, tomllib.loads(path.read_text(encoding="utf-8"))))
        return found or (error,)
    return tuple(_of_whole(path, profile))


def _of_file(path: Path, content: dict[str, Any]) -> Iterator[ProfileError]:
    """Of the head of the file, and of each table."""
    yield from _unknown(path, "", content)
    for field in msgspec.structs.fields(Profile):
        name = field.encode_name
        if name not in content:
            if field.required:
                yield _explained(path, f"Object missing required field `{name}`", "")
        elif name in TABLES and isinstance(content[name], dict):
            yield from _of_table(path, name, content[name])
        elif problem := _refusal(content[name], field.type):
            yield _explained(path, problem, name)


def _of_table(path: Path, table: str, content: dict[str, Any]) -> Iterator[ProfileError]:
    kind = TABLES[table]
    yield from _unknown(path, table, content)
    known = {key: value for key, value in content.items() if key in kind.__struct_encode_fields__}
    sound = True
    for key, value in known.items():
        beside = dict(_GOOD[kind])
        if "resident" not in known:
            beside.pop("resident", None)
        if problem := _refusal({**beside, key: value}, kind):
            sound = False
            yield _explained(path, problem, table)
    missing = [
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if field.required and field.encode_name not in content
    ]
    for name in missing:
        yield _explained(path, f"Object missing required field `{name}`", table)
    if sound and not missing and (problem := _refusal(known, kind)):
        yield _explained(path, problem, table)


def _unknown(path: Path, table: str, content: dict[str, Any]) -> Iterator[ProfileError]:
    known = TABLES[table].__struct_encode_fields__
    for key in content:
        if key not in known:
            yield _explained(path, f"Object contains unknown field `{key}`", table)


def _refusal(value: object, kind: type) -> str:
    """What msgspec says of a value; empty if it takes it."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _explained(path: Path, message: str, table: str) -> ProfileError:
    """A problem of a part, told as one of the file."""
    problem, mark, place = message.partition(" - at `$")
    if not mark:
        place = "`"
    inside = place.removesuffix("`").removeprefix(".")
    key = ".".join(filter(None, (table, inside)))
    return explained(path, f"{problem} - at `$.{key}`" if key else problem)


def _of_whole(path: Path, profile: Profile) -> Iterator[ProfileError]:
    """What no table says by itself."""
    adapters = {*BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))}
    if profile.adapter not in adapters:
        there_are = ", ".join(sorted(adapters))
        near = nearest(profile.adapter, adapters)
        hint = f"install the package that has it, or name another one{near}: there are {there_are}"
        yield ProfileError(path, "adapter", f"`{profile.adapter}` is not installed", hint)
    if profile.adapter == "command" and profile.acts is None:
        hint = f"add a table [acts] with `prepare`; {_SEE}"
        yield ProfileError(path, "acts", "is missing, and the adapter is `command`", hint)
    if profile.adapter == "command" and profile.extra.server:
        hint = "take it out; what starts a client is the table [acts]"
        yield ProfileError(path, "extra.server", "is for the adapter `network` alone", hint)
    startable = profile.lab is not None or profile.extra.server
    if profile.extra.renew_after and (profile.adapter != "network" or not startable):
        hint = "take it out, or have the server started by [lab] or by `server` of [extra]"
        yield ProfileError(path, "extra.renew_after", "needs a server that the suite starts", hint)
    role = {"network": "responder", "command": "requester"}.get(profile.adapter)
    if role and role not in profile.claims.roles:
        hint = f'write roles = ["{role}"], or name another adapter; {_SEE}'
        problem = f"are not those of the adapter `{profile.adapter}`"
        yield ProfileError(path, "claims.roles", problem, hint)
