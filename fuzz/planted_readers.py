"""Bugs planted in what reads messages beside the codecs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from typing_extensions import override

from fuzz.harnesses.groups import Groups
from fuzz.harnesses.readers import Readers
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.placed_items import spans_of
from rpcrdma.wire.transmission import Assembler, BrokenGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire._generated_rtrext import MessageItem
    from rpcrdma.wire.buffers import BufferLayout
    from rpcrdma.wire.placed_items import Span
    from rpcrdma.wire.transmission import Arrived
    from rpcrdma.wire.versions import AnyHeader

__all__ = ["IN_READERS", "ForgetsVersions", "LosesContinuations", "PlacesTwice"]


class ForgetsVersions(Readers):
    """Reads the error about versions as if it were always in Version One (version lost)."""

    @override
    def header(self, octets: bytes) -> tuple[AnyHeader, int]:
        header, end = super().header(octets)
        return (header if header.rdma_vers == 2 else replace(header, rdma_vers=1)), end


class _LosesTheLast(Assembler):
    @override
    def take(self, send: bytes) -> tuple[Arrived, ...]:
        return tuple(
            replace(one, lost=one.lost[:1]) if isinstance(one, BrokenGroup) else one
            for one in super().take(send)
        )


class LosesContinuations(Groups):
    """Tells of a broken group's first Send only, so that Receives are lost (count too small)."""

    @override
    def assembler(self) -> Assembler:
        return _LosesTheLast(BY_CODE)


class PlacesTwice(Groups):
    """Looks at each item for itself, so that two may have the same octets (overlap)."""

    @override
    def spans(
        self,
        layout: BufferLayout,
        items: Sequence[MessageItem],
        sends: Sequence[int],
        ends: Sequence[int],
    ) -> tuple[tuple[Span, ...], ...]:
        return tuple(spans_of(layout, [item], sends, ends)[0] for item in items)


IN_READERS: Final = {
    "version-lost": ("readers", "fuzz.planted_readers:ForgetsVersions"),
    "continuation-lost": ("groups", "fuzz.planted_readers:LosesContinuations"),
    "octets-shared": ("groups", "fuzz.planted_readers:PlacesTwice"),
}
"""Name -> harness that must find it, and the implementation that has it."""
