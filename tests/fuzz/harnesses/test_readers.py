"""The harness of the readers: messages of all sorts are taken, and planted bugs show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from typing_extensions import override

from fuzz.engine import implementation
from fuzz.harnesses.readers import Readers, check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED
from rpcrdma.wire import (
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    rpc,
    v2,
)

if TYPE_CHECKING:
    from rpcrdma.wire.versions import AnyHeader

SEGMENT = RdmaSegment(5, 8, 16)
READS = (ReadSegment(4, SEGMENT),)
ONE = encode_header(TransportHeader(7, 1, 9, RdmaMsg(READS, (WriteChunk((SEGMENT,)),), None)))
TWO = v2.encode_header(v2.Rdma2Header(7, 2, 9, v2.Rdma2Msg(rpc.MessageType.CALL, READS, (), None)))
CALL = rpc.encode_message(
    rpc.call(7, 100003, 4, 1, cred=rpc.auth_sys(rpc.AuthSys(1, "host", 2, 3, (4, 5))))
)


@pytest.mark.parametrize(
    "octets",
    [
        *(b"", b"\0" * 14, ONE, TWO, ONE + CALL, TWO + CALL, CALL, CALL[:-4]),
        encode_header(TransportHeader(7, 9, 1, RdmaError(ErrVers(1, 2)))),
        bytes.fromhex("f6ab0e18 01000303"),
    ],
    ids=bytes.hex,
)
def test_messages_of_all_sorts_are_taken(octets: bytes) -> None:
    check(octets, Readers())


class TellsInLines(Readers):
    @override
    def line(self, octets: bytes) -> str:
        return super().line(octets) + "\n"


class TellsSomethingElse(Readers):
    @override
    def line(self, octets: bytes) -> str:
        return super().line(octets) + ", and more"


class TakesCreditsForOne(Readers):
    @override
    def header(self, octets: bytes) -> tuple[AnyHeader, int]:
        header, end = super().header(octets)
        return msgspec.structs.replace(header, rdma_credit=1), end


@pytest.mark.parametrize(
    ("readers", "invariant"),
    [
        (TellsInLines(), "not-one-line"),
        (TellsSomethingElse(), "comment-without-gist"),
        (TakesCreditsForOne(), "round-trip"),
    ],
)
def test_a_reader_that_goes_wrong_is_found(readers: Readers, invariant: str) -> None:
    with pytest.raises(BrokenInvariant, match=invariant):
        check(ONE, readers)


def test_the_planted_bug_is_found() -> None:
    harness, name = PLANTED["version-lost"]
    assert harness == "readers"

    with pytest.raises(BrokenInvariant, match="round-trip"):
        check(
            encode_header(TransportHeader(7, 9, 1, RdmaError(ErrVers(1, 2)))),
            implementation(name)(),
        )
