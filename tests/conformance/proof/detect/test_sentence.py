"""A difference in words: the field, the event, or that there is nothing more."""

from __future__ import annotations

import pytest

from conformance.proof.detect.differences import Different
from conformance.proof.detect.sentence import sentence
from conformance.proof.detect.shown import Shown
from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, TransportHeader, encode_header


def message(granted: int = 32, payload: bytes = b"") -> Shown:
    header = encode_header(TransportHeader(0xEEEE0001, 1, granted, RdmaMsg((), (), None)))
    return Shown(1, "peer", "Send", header + payload)


REFUSAL = Shown(
    1,
    "peer",
    "Send",
    encode_header(TransportHeader(0xEEEE0001, 1, 32, RdmaError(ErrChunk()))),
)
READ = Shown(2, "peer", "RDMA Read", b"12345678", 0xEEEE0002, 0, 8)
END = Shown(1, "local", "disconnect")


@pytest.mark.parametrize(
    ("reference", "own", "words"),
    [
        (
            message(),
            message(33),
            "event 5, Send of the device: `rdma_credit: 33`, of the reference `rdma_credit: 32`",
        ),
        (
            READ,
            Shown(2, "peer", "RDMA Read", b"1234", 0xEEEE0002, 0, 4),
            "event 5, RDMA Read of the device: `length 4`, of the reference `length 8`",
        ),
        (
            READ,
            Shown(2, "peer", "RDMA Read", b"12x45678", 0xEEEE0002, 0, 8),
            "event 5, RDMA Read of the device: other octets from octet 2",
        ),
        (
            REFUSAL,
            READ,
            (
                "event 5: RDMA Read of the device on connection 2, 8 octets; of the reference: Send"
                " of the device: 20 octets, xid 0xeeee0001, version 1, credits 32, RDMA_ERROR, err"
                " ERR_CHUNK"
            ),
        ),
        (
            None,
            END,
            "event 5: disconnect of the tester on connection 1; of the reference: nothing more",
        ),
    ],
)
def test_a_difference_has_a_sentence(reference: Shown | None, own: Shown, words: str) -> None:
    assert sentence(Different("a", 4, own, reference=reference)) == words


def test_octets_that_no_text_shows_are_counted() -> None:
    long, other = bytes(5000), bytes(4999) + b"1"

    found = sentence(Different("a", 0, message(payload=other), reference=message(payload=long)))

    assert found == "event 1, Send of the device: other octets from octet 5027"


def test_an_opening_is_called_one() -> None:
    assert sentence(Different("a", 0, END, opening=True)) == (
        "event 1 of the opening: disconnect of the tester on connection 1; of the reference:"
        " nothing more"
    )
