"""Our XDR as rpcgen and a C compiler take it: the same encoding, by names that C has room for."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["for_rpcgen"]

_INTEGERS: Final = re.compile(r"^typedef unsigned (?:int|hyper) uint(?:32|64);\n", re.MULTILINE)
"""C has these types by other names, and libtirpc has functions for those."""

_USES: Final = re.compile(r"\b(uint(?:32|64))\b")
_TAKEN: Final = re.compile(r"\b(msg_type|CALL|REPLY)\b")
"""Names that the headers of libtirpc declare themselves."""

_TWINS: Final = re.compile(r"(case \w+:\s*)(\w+ \w+;)\s*(?=case \w+:\s*\2)")
"""Two arms that have one and the same field, which a union of C could not have twice."""

_UNBOUNDED: Final = "<>"
_BOUND: Final = "<held_octets>"
_DECLARATION: Final = "%extern __thread u_int held_octets;\n"
"""An array without a bound may claim as many elements as the input has octets, each of which takes
one at least: what is refused by it would have ended too early in any case, but only after memory
for 2^32 elements was asked for, and cleared again element by element."""


def for_rpcgen(text: str) -> str:
    """The text of a `.x` file of ours, changed so that rpcgen makes C of it that compiles."""
    text = _INTEGERS.sub("", text)
    text = _USES.sub(r"\1_t", text)
    text = _TAKEN.sub(r"wire_\1", text)
    text = _TWINS.sub(r"\1", text)
    return _DECLARATION + text.replace(_UNBOUNDED, _BOUND)
