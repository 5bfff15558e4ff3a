"""Bugs planted by hand: each must be found by its harness within a minute (`tox -e fuzz-planted`).

A fuzzer that finds nothing proves nothing until it has found what is known to be there.  Each class
breaks one thing that a decoder, a Responder or a device gets wrong in practice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs
from typing_extensions import override

from fuzz.harnesses import v2_header, v2_requester
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.planted_beside_c import BESIDE_C
from fuzz.planted_ends import IN_ENDS
from fuzz.planted_headers import IN_HEADERS
from fuzz.planted_readers import IN_READERS
from fuzz.planted_responder import IN_RESPONDERS
from fuzz.planted_server import IN_SERVERS
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import RequesterParts
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError, Reason
from targets.reference.server_parts import Parts, responder_factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import Action, Send
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.wire import TransportHeader
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.v2 import Rdma2Optional

__all__ = [
    "PLANTED",
    "AnswersTwice",
    "BelievesLengths",
    "BelievesTruth",
    "CountsCreditsDown",
    "KeepsRefusedMemory",
    "LeavesOctetsBehind",
    "SumsGrants",
    "TrustsCounts",
    "answers_twice",
    "counts_credits_down",
    "keeps_refused_memory",
    "sums_grants",
    "sums_grants_in_two",
]


class BelievesLengths(V1ReferenceCodec):
    """Reads zeroes after the end of the buffer instead of refusing it (no length check)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        return super().decode(octets + bytes(64))


class BelievesTruth(V1ReferenceCodec):
    """Takes any non-zero discriminator of the Reply chunk as true (no boolean check)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        try:
            return super().decode(octets)
        except DecodeError as error:
            if error.reason is not Reason.BAD_BOOLEAN:
                raise
            repaired = octets[: error.offset] + b"\0\0\0\1" + octets[error.offset + 4 :]
            return super().decode(repaired)


class TrustsCounts(V1ReferenceCodec):
    """Allocates what a count asks for before looking whether it is there (unbounded count)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        try:
            return super().decode(octets)
        except DecodeError as error:
            if error.reason is Reason.TRUNCATED and error.path.endswith("target"):
                count = int.from_bytes(octets[error.offset : error.offset + 4], "big")
                bytearray(count * 16)
            raise


class LeavesOctetsBehind(v2_header.V2ReferenceCodec):
    """Takes an option whose contents go on after its end (octets left over)."""

    @override
    def option(self, body: Rdma2Optional) -> Option:
        try:
            return super().option(body)
        except DecodeError as error:
            if error.reason is not Reason.TRAILING or error.path != "rdma_body.rdma_optinfo":
                raise
            end = error.offset - v2_header.CONTENTS
        return super().option(structs.replace(body, rdma_optinfo=body.rdma_optinfo[:end]))


class CountsCreditsDown(ReplyRules):
    """Takes the answered call off the grant once more, so that it wraps (credit underflow)."""

    @override
    def grant(self, requested: int, posted: int) -> int:
        return (super().grant(requested, posted) - requested) % 2**32


class AnswersTwice(Responder):
    """Sends a reply that is carried by a Write chunk twice (answer sent twice)."""

    @override
    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        actions = super().transmit(writes, send)
        return [*actions, send] if writes else actions


def counts_credits_down() -> Callable[[], Callable[[], Responder]]:
    """Starts servers with `CountsCreditsDown`."""
    return lambda: responder_factory(Parts(replies=CountsCreditsDown))


def answers_twice() -> Callable[[], Callable[[], Responder]]:
    """Starts servers with `AnswersTwice`."""
    return lambda: responder_factory(Parts(responder=AnswersTwice))


class SumsGrants(Allowance):
    """Adds each grant to those before, and takes the sum for what may be in flight (credit sum)."""

    @override
    def granted_by_reply(self, value: int) -> None:
        super().granted_by_reply((self.granted or 0) + value)


class KeepsRefusedMemory(Requester):
    """Ends a refused call without taking its memory back (memory left within reach)."""

    @override
    def _end(self, call: OutgoingCall) -> list[Action]:
        if call.plan is not None and call.failure is not None:
            for memory in call.segments():
                memory.safe = True
        return super()._end(call)


def sums_grants() -> Callable[[], Requester]:
    """Makes Requesters with `SumsGrants`."""
    return lambda: Requester(parts=RequesterParts(allowance=SumsGrants))


def sums_grants_in_two() -> Callable[[], Requester]:
    """The same in Version Two."""
    return lambda: Requester(v2_requester.OPTIONS, RequesterParts(allowance=SumsGrants))


def keeps_refused_memory() -> Callable[[], Requester]:
    """Makes Requesters that are `KeepsRefusedMemory`."""
    return KeepsRefusedMemory


PLANTED: Final = {
    **BESIDE_C,
    **IN_ENDS,
    **IN_HEADERS,
    **IN_READERS,
    **IN_RESPONDERS,
    **IN_SERVERS,
    "length-check": ("v1-header", "fuzz.planted:BelievesLengths"),
    "boolean-check": ("v1-header", "fuzz.planted:BelievesTruth"),
    "unbounded-count": ("v1-header", "fuzz.planted:TrustsCounts"),
    "octets-left": ("v2-header", "fuzz.planted:LeavesOctetsBehind"),
    "credit-underflow": ("v1-responder", "fuzz.planted:counts_credits_down"),
    "answers-twice": ("v1-responder", "fuzz.planted:answers_twice"),
    "credit-sum": ("v1-requester", "fuzz.planted:sums_grants"),
    "credit-sum-two": ("v2-requester", "fuzz.planted:sums_grants_in_two"),
    "memory-kept": ("v1-requester", "fuzz.planted:keeps_refused_memory"),
    "short-reth": ("roce-frame", "fuzz.planted_roce:TrustsHeaderLengths"),
    "source-host": ("roce-device", "fuzz.planted_roce:hears_anybody"),
    "kept-duplicates": ("roce-device", "fuzz.planted_roce:keeps_duplicates"),
    "access-rights": ("roce-device", "fuzz.planted_roce:forgets_rights"),
}
"""Name -> harness that must find it, and the implementation that has it."""
