"""What is kept back from a real device: messages that may bring it down, or damage what it holds.

Which those are is known to `conformance.explore.danger`.  A release that is without it, since that
would tell how the harm is done (`withheld.toml`), keeps back every message that has chunks.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from conformance.explore.lenient import read_leniently
from conformance.oracle.header import decode_header
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunks_for_results

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.memory import ExposedMemory
    from rpcrdma.ulp.bindings import UpperLayer

    Caution = Callable[[bytes, ExposedMemory, UpperLayer], str]

__all__ = ["Caution", "any_chunks", "caution"]

_DANGER: Final = "conformance.explore.danger"


def caution() -> Caution:
    """What says why a message is kept back, in a few words, or nothing: the finest there is."""
    if find_spec(_DANGER) is None:
        return any_chunks
    known: Caution = import_module(_DANGER).danger_of
    return known


def any_chunks(message: bytes, _memory: ExposedMemory, _layer: UpperLayer) -> str:
    """The coarsest: a message that has chunks; empty for any other one.

    Args:
        message: as it would be sent.
    """
    try:
        body = decode_header(message).header.rdma_body
    except DecodeError:
        lists = read_leniently(message)
        return "a message with chunks" if lists.reads or lists.results else ""
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        return ""
    has_chunks = body.rdma_reads or chunks_for_results(body)
    return "a message with chunks" if has_chunks else ""
