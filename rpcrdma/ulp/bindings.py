"""What a transport must know of an Upper-Layer Protocol: the contract of every binding here.

    rfc8166 section 3.4  XDR Encoding with Chunks
    rfc8166 section 6    ULB Specifications

A *binding* names the data items that may be moved apart from the Payload stream (`DataItem`), the
largest reply a call can have (`ReplyExpectation`), and the order in which results take Write chunks
(that of the slots in `UpperLayer.results`).  A *program* adds what executes the calls.  Both sides
of a transport use the same object: the Requester asks for `arguments`, `expectation` and `results`,
the Responder for `arguments`, `results` and `execute`.

A payload here is always the octets of one RPC message, from its XID on.  *Unreduced* means with
every data item in its place; `reduce` and `restore` go from one form to the other and back.

One object serves one connection: programs may keep per-connection state (calls whose answer is
deferred), and XIDs of two connections may collide.  What must be shared (a file tree) is handed to
each program when it is made.

This module packs no octets, and does not know what a chunk is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = [
    "NOTHING_REDUCED",
    "DataItem",
    "Program",
    "ReplyExpectation",
    "UpperLayer",
    "UpperLayerFactory",
    "padded",
    "reduce",
    "restore",
]

XDR_UNIT = 4
"""Every XDR item takes a multiple of this many octets (RFC 4506 section 3)."""

NOTHING_REDUCED: frozenset[int] = frozenset()
"""The default of `UpperLayer.results`: the reply is unreduced."""


def padded(length: int) -> int:
    """Octets that a counted opaque of this length takes after its count."""
    return length + -length % XDR_UNIT


@dataclass(frozen=True, slots=True)
class DataItem:
    """A DDP-eligible data item of a payload.

    Attributes:
        position: of the first octet of the data (after its count word), from the start of the
            *unreduced* payload; a multiple of four.
        length: of the data in octets, without roundup padding; what the count word says.
    """

    position: int
    length: int

    @property
    def padding(self) -> int:
        """Octets of roundup padding that follow the data in an unreduced payload."""
        return -self.length % XDR_UNIT

    @property
    def end(self) -> int:
        """Position of the first octet after the data and its padding."""
        return self.position + self.length + self.padding


@dataclass(frozen=True, slots=True)
class ReplyExpectation:
    """The largest successful or failed reply that a call can have (rfc8166 6.2).

    Attributes:
        maximum: octets of the largest possible *unreduced* reply payload.
        items: for each slot of `UpperLayer.results`, in order, the largest length in octets that
            the data item in it can have.
        guessed: whether the protocol bounds something in the reply nowhere, so that each requester
            makes room for it by limits of its own: `maximum` then goes by ours.
        exact: whether a successful reply has just the lengths in `items`, and is as long as
            `maximum` if that is more than any error reply has.
    """

    maximum: int
    items: tuple[int, ...] = ()
    guessed: bool = False
    exact: bool = False


class UpperLayer(Protocol):
    """What a transport asks, whichever program a call is for.

    A call of a program, version or procedure that is not served has no data items, and `execute`
    answers it with the error reply that RFC 5531 asks for.
    """

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        """DDP-eligible arguments of an unreduced call, by ascending position.

        Raises:
            DecodeError: the call is not valid.
        """
        ...

    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        """The slots of a reply: one for each result that could carry a DDP-eligible item.

        A slot is None when this reply has no item there (a union arm without one, an operation
        that was not reached); an error reply has no slots at all.  The n-th Write chunk of the call
        belongs to the n-th *item*: a slot without one consumes no chunk, the next item takes it
        (rfc8166 4.3.2.2), and chunks that are left over at the end are returned unused.

        Args:
            call: the unreduced call.
            reply: the reply, unreduced but for the slots named in `reduced`.
            reduced: indexes of the slots whose data and padding are not in `reply`; the positions
                returned are nevertheless those in the unreduced reply.

        Raises:
            DecodeError: the reply is not valid.
            LocalProtocolError: its XID is not the call's.
        """
        ...

    def origins(self, call: bytes) -> tuple[int, ...]:
        """Where in an unreduced call the operation of each slot of its results begins.

        Nothing for a call that is one operation: that begins with the call (rtrext 7.4, D-115).

        Raises:
            DecodeError: the call is not valid.
        """
        ...

    def expectation(self, call: bytes) -> ReplyExpectation:
        """The largest reply that this unreduced call can have.

        Raises:
            DecodeError: the call is not valid.
        """
        ...

    def execute(self, call: bytes) -> list[bytes]:
        """Execute an unreduced call; return the unreduced replies that can be sent now.

        Usually that is one reply, the call's own.  None at all means that it is deferred; more
        than one, that this call released deferred ones.  Each carries its call's XID.

        Never raises for what is in `call`: cut or invalid arguments give GARBAGE_ARGS, and octets
        in which not even a call header can be found give no reply.
        """
        ...


class Program(UpperLayer, Protocol):
    """An RPC program in one version."""

    @property
    def number(self) -> int:
        """The RPC program number."""
        ...

    @property
    def version(self) -> int:
        """The version of the program."""
        ...


UpperLayerFactory: TypeAlias = Callable[[], UpperLayer]
"""Makes the upper layer of one new connection."""


def reduce(payload: bytes, items: Iterable[DataItem]) -> tuple[bytes, tuple[bytes, ...]]:
    """Take data items out of an unreduced payload.

    Args:
        payload: the unreduced payload.
        items: which items to take, by ascending position.

    Returns:
        The reduced payload (without the items and without their padding, rfc8166 3.4.4.4) and the
        data of each item, unpadded.
    """
    kept: list[bytes] = []
    taken: list[bytes] = []
    after = 0
    for item in items:
        kept.append(payload[after : item.position])
        taken.append(payload[item.position : item.position + item.length])
        after = item.end
    kept.append(payload[after:])
    return b"".join(kept), tuple(taken)


def restore(payload: bytes, items: Iterable[tuple[int, bytes]]) -> bytes:
    """Put data items back: the inverse of `reduce`.

    Args:
        payload: the reduced payload.
        items: position in the *unreduced* payload and unpadded data of each item, by ascending
            position; zero padding is added.

    Returns:
        The unreduced payload.  An item whose position lies after the end of what is there is
        appended: whether that makes a valid message is the decoder's to say.
    """
    parts: list[bytes] = []
    used = 0
    length = 0
    for position, data in items:
        chunk = payload[used : used + max(position - length, 0)]
        used += len(chunk)
        item = data + bytes(-len(data) % XDR_UNIT)
        parts += (chunk, item)
        length += len(chunk) + len(item)
    parts.append(payload[used:])
    return b"".join(parts)
