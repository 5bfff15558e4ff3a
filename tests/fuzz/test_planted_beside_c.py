"""A bug that only the comparison with C shows: the harness of the decoder alone is content."""

from __future__ import annotations

import pytest

from fuzz.differential.compiled import V1, V2, Item
from fuzz.engine import implementation, judge
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED
from fuzz.planted_beside_c import BESIDE_C
from fuzz.registry import find_harness
from rpcrdma.wire import RdmaMsg, TransportHeader, WriteChunk, encode_header, v2
from tests.fuzz.differential.real import real_decoder


def option(number: int) -> bytes:
    body = v2.Rdma2Optional(v2.MessageType.CALL, number, bytes(8))
    return v2.encode_header(v2.Rdma2Header(7, 2, 32, body))


def reply(chunk: WriteChunk | None) -> bytes:
    return encode_header(TransportHeader(7, 1, 32, RdmaMsg((), (), chunk)))


SHOWN = {
    "empty-refused": (V1, reply(None), reply(WriteChunk(()))),
    "option-refused": (V2, option(1), option(99)),
}


@pytest.mark.parametrize("name", BESIDE_C)
def test_a_bug_shows_beside_c_alone(name: str) -> None:
    harness, subject = PLANTED[name]
    bug = implementation(subject)()
    item: Item
    item, plain, shown = SHOWN[name]
    judge(find_harness(harness.removesuffix("-c")).check, shown, bug)
    if real_decoder(item):
        check = find_harness(harness).check
        judge(check, plain, bug)
        judge(check, shown, find_harness(harness).reference())
        with pytest.raises(BrokenInvariant, match="only-c-accepts"):
            judge(check, shown, bug)
