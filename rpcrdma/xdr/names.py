"""What XDR names are called in Python: a small table beside each specification.

The table is TOML with the sections `types`, `arms` and `fields`; keys are dotted XDR names
(`union.CASE`, `union.CASE.field`), and `charset` at its head sets that of strings.  A name that
it does not list is only put into Python's case.

`flat` at its head lists arms whose class has the fields of the arm's structure instead of one
field that holds it; the section `shared` names the specification whose class of the same name a
type uses, so that one class serves both.
"""

from __future__ import annotations

import keyword
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpcrdma.xdr.parse import XdrError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass
class NameTable:
    """Looks names up, and knows in the end which entries nothing asked for."""

    types: Mapping[str, str] = field(default_factory=dict)
    arms: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    charset: str = "ascii"
    flat: Sequence[str] = ()
    shared: Mapping[str, str] = field(default_factory=dict)
    _used: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def load(cls, path: Path) -> NameTable:
        """The table of a file; an absent file is an empty table."""
        if not path.exists():
            return cls()
        data = tomllib.loads(path.read_text("utf-8"))
        unknown = data.keys() - {"types", "arms", "fields", "charset", "flat", "shared"}
        if unknown:
            raise XdrError(None, f"{path.name}: unknown section {', '.join(sorted(unknown))}")
        return cls(**data)

    def type_name(self, path: str) -> str:
        """The class of a type."""
        return self._look_up("types", self.types, path) or camel_case(path)

    def arm_name(self, path: str) -> str:
        """The class of a union's arm."""
        return self._look_up("arms", self.arms, path) or camel_case(path)

    def is_flat(self, path: str) -> bool:
        """Whether the arm has the fields of its structure itself."""
        listed = path in self.flat
        if listed:
            self._used.add(("flat", path))
        return listed

    def owner_of(self, path: str) -> str:
        """The specification whose class the type uses; empty if it has a class of its own."""
        return self._look_up("shared", self.shared, path) or ""

    def field_name(self, path: str) -> str:
        """The attribute of a field."""
        name = self._look_up("fields", self.fields, path) or path.rpartition(".")[2]
        return f"{name}_" if keyword.iskeyword(name) else name

    def check_all_used(self) -> None:
        """Refuse entries for names that the specification does not have.

        Raises:
            XdrError: names the stale entries.
        """
        listed = {
            (section, name)
            for section, table in (
                ("types", self.types),
                ("arms", self.arms),
                ("fields", self.fields),
                ("flat", self.flat),
                ("shared", self.shared),
            )
            for name in table
        }
        stale = sorted(f"[{section}] {name}" for section, name in listed - self._used)
        if stale:
            raise XdrError(None, f"the table names what is not there: {', '.join(stale)}")

    def _look_up(self, section: str, table: Mapping[str, str], path: str) -> str | None:
        if path in table:
            self._used.add((section, path))
        return table.get(path)


def camel_case(path: str) -> str:
    """`rdma_body.RDMA_DONE` as `RdmaBodyRdmaDone`."""
    words = path.replace(".", "_").replace("-", "_").split("_")
    return "".join(
        word.capitalize() if word.isupper() else word[:1].upper() + word[1:] for word in words
    )


def snake_case(name: str) -> str:
    """`TransportHeader` as `transport_header`."""
    letters = [f"_{letter.lower()}" if letter.isupper() else letter for letter in name]
    return "".join(letters).lstrip("_")
