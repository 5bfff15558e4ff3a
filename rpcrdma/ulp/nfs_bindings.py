"""The Upper-Layer Bindings of NFS: the table `nfs_bindings.toml`, and the sums that it defines.

    RFC 8267   NFS Upper-Layer Binding to RPC-over-RDMA Version 1
    RFC 8166 section 6   what such a binding must say

A *row* is a procedure of NFSv3 or an operation of an NFSv4 COMPOUND.  This module knows no message:
who decodes the arguments hands over the few of their members that a size depends on.

    nfs3 = nfs_binding("nfs3")
    nfs3.by_name["READ"].largest(4096).total            # octets of the largest READ3res
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp.bindings import XDR_UNIT, padded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ChunkAllowance",
    "Growth",
    "GrowthKind",
    "LargestResult",
    "NfsBinding",
    "NfsRow",
    "binding_names",
    "limits",
    "nfs_binding",
]

TABLE: Final = "nfs_bindings.toml"


class GrowthKind(Enum):
    """What the variable part of a result depends on."""

    COUNT = "count"
    LIMIT = "limit"
    ELEMENTS = "elements"
    ATTRIBUTES = "attributes"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Growth:
    """The variable part of a successful result.

    Attributes:
        kind: what it depends on.
        name: the argument, or the limit.
        limit: octets that the limit allows; 0 for every other kind.
    """

    kind: GrowthKind
    name: str
    limit: int = 0


@dataclass(frozen=True, slots=True)
class LargestResult:
    """How large a result can be.

    Attributes:
        total: octets of all of it (of an operation: after its number and status).
        item: the greatest length of its DDP-eligible item; None if it has none.
    """

    total: int
    item: int | None


@dataclass(frozen=True, slots=True)
class NfsRow:
    """A procedure, or an operation; the table's head says what each member means."""

    name: str
    number: int
    argument: str | None
    result: str | None
    before: int | None
    fixed: int
    grows: Growth | None
    failed: int

    @property
    def measure(self) -> str | None:
        """The argument that the size of the results depends on, by name; None without one."""
        if self.grows is None or self.grows.kind is GrowthKind.LIMIT:
            return None
        return self.grows.name

    def largest(self, measured: int = 0) -> LargestResult:
        """The largest result.

        Args:
            measured: what the argument `measure` comes to: its value for a count or a bound of the
                whole, the number of its elements, or the octets of the attributes it asks for.
        """
        item: int | None = None
        variable = 0
        if self.grows is not None:
            size = self.grows.limit if self.grows.kind is GrowthKind.LIMIT else measured
            item = size if self.result is not None else None
            variable = _octets(self.grows.kind, size)
        return LargestResult(max(self.fixed + variable, self.failed), item)


@dataclass(frozen=True, slots=True)
class ChunkAllowance:
    """The chunks that every server of a binding accepts in one call.

    Attributes:
        position_zero: Position Zero Read chunks.
        read: Read chunks at other Positions.
        write: Write chunks.
        segments: in any one chunk; None if the binding names no number.
    """

    position_zero: int
    read: int
    write: int
    segments: int | None


@dataclass(frozen=True, slots=True)
class NfsBinding:
    """The binding of one program in one version.

    Attributes:
        name: what `nfs_binding` finds it by.
        title: for people.
        sources: the sections that say so.
        program: the RPC program number.
        version: of the program.
        minor: the minor version of NFSv4; None for NFSv3.
        chunks: what every server accepts.
        bounded_by_session: whether a session's ca_maxresponsesize bounds every reply.
        rows: by procedure or operation number.
        by_name: the same, by name.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    program: int
    version: int
    minor: int | None
    chunks: ChunkAllowance
    bounded_by_session: bool
    rows: Mapping[int, NfsRow]
    by_name: Mapping[str, NfsRow]

    @property
    def eligible_arguments(self) -> tuple[NfsRow, ...]:
        """The rows that have a DDP-eligible argument."""
        return tuple(row for row in self.rows.values() if row.argument is not None)

    @property
    def eligible_results(self) -> tuple[NfsRow, ...]:
        """The rows that have a DDP-eligible result: those that take Write chunks."""
        return tuple(row for row in self.rows.values() if row.result is not None)


def binding_names() -> tuple[str, ...]:
    """The name of every binding in the table, in its order."""
    return tuple(_bindings())


def nfs_binding(name: str) -> NfsBinding:
    """A binding by its name.

    Raises:
        KeyError: there is no such binding.
    """
    return _bindings()[name]


@cache
def limits() -> Mapping[str, int]:
    """The limits that stand for what the protocols leave unbounded, in octets, by name."""
    return dict(_table()["limits"])


@cache
def _bindings() -> Mapping[str, NfsBinding]:
    found: dict[str, NfsBinding] = {}
    for raw in _table()["binding"]:
        base = found.get(raw.get("extends", ""))
        found[raw["name"]] = _binding(raw, base)
    return found


# What a TOML parser returns has no better type than Any; each value gets its type here.
@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(TABLE).read_text("utf-8"))


def _binding(raw: dict[str, Any], base: NfsBinding | None) -> NfsBinding:
    own = [_row(name, row) for name, row in raw["rows"].items()]
    rows = {row.number: row for row in (*(base.rows.values() if base else ()), *own)}
    if base is None:
        chunks = ChunkAllowance(
            **{"segments": None, **raw["chunks"]},
        )
        program, version = raw["program"], raw["version"]
    else:
        chunks, program, version = base.chunks, base.program, base.version
    return NfsBinding(
        raw["name"],
        raw["title"],
        tuple(raw["sources"]),
        program,
        version,
        raw.get("minor"),
        chunks,
        raw.get("bounded_by_session", False),
        rows,
        {row.name: row for row in rows.values()},
    )


def _row(name: str, raw: dict[str, Any]) -> NfsRow:
    return NfsRow(
        name,
        raw["number"],
        raw.get("argument"),
        raw.get("result"),
        raw.get("before"),
        raw["fixed"],
        _growth(raw["grows"]) if "grows" in raw else None,
        raw.get("failed", 0),
    )


def _growth(text: str) -> Growth:
    kind, _, name = text.partition(":")
    limit = limits()[name] if GrowthKind(kind) is GrowthKind.LIMIT else 0
    return Growth(GrowthKind(kind), name, limit)


def _octets(kind: GrowthKind, size: int) -> int:
    match kind:
        case GrowthKind.ELEMENTS:
            return size * XDR_UNIT
        case GrowthKind.WHOLE:
            return size  # the argument counts octets of the results, padding included
        case _:
            return padded(size)
