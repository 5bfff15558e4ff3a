# Invariant: whatever the octets, our decoder of Version Two headers and the one that rpcgen makes
# of the same XDR both refuse them, or both accept them, end at the same octet and encode the same;
# how else they differ is in fuzz/DISAGREEMENTS.md.
"""Fuzz harness of the Version Two header decoder beside one in C (v2 4.2)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from fuzz.differential.c_decoder import CDecoder
from fuzz.differential.compare import compare
from fuzz.differential.compiled import V2, build
from fuzz.harnesses.v2_header import HARNESS as ALONE

if TYPE_CHECKING:
    from fuzz.header_codec import HeaderCodec
    from rpcrdma.wire import v2

__all__ = ["HARNESS", "check"]


@cache
def _decoder() -> CDecoder:
    return CDecoder(build(V2))


def check(octets: bytes, codec: HeaderCodec[v2.Rdma2Header]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for these octets."""
    compare(octets, codec, _decoder())


HARNESS: Final = replace(
    ALONE,
    title="the decoder of Version Two headers beside the one that rpcgen makes",
    check=check,
    corpus="v2-header",
    prepare=partial(build, V2),
    counters=lambda: _decoder().counters(),
)
