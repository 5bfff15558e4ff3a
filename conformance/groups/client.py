"""The tester before a server that reduces round trips.

    client = GroupClient.of(connect_two)                 both ends have told of themselves
    client = GroupClient.of(connect_two, told=NO_TARGETS)
    client.announced                                     what the device has told
    call = client.send(grouped(client.peer, ...))        a request, good or spoiled
    client.fence()                                       a good call, after which nothing is left

    rtrext section 5  Using Protocol Additions
    rtrext section 8  Transport Properties

`conformance.groups.answers` has the checks that a case ends with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.groups.request import CREDITS
from conformance.oracle.announced import Announced
from conformance.tester.client import build
from conformance.verify.announced import given_occasion
from rpcrdma.wire._generated_rtrext import (
    RTRS_XCONT,
    RTRS_XREQ,
    RTRS_XRESP,
    XMRSFLAG_DDP,
    BufferSegment,
    BufferSegmentGroup,
    BufferStructure,
    InTargetedSegments,
)
from rpcrdma.wire.operations import RTREXT, ConnProp, operations_of
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.request import GroupCall
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Message

__all__ = ["NEEDS", "NO_TARGETS", "TOLD", "GroupClient"]

NEEDS: Final = tuple(one.name for one in operations_of(RTREXT))
"""What a device claims for whom cases about groups are made."""

_OCTETS: Final = 4096
_SUPPORT: Final = RTRS_XREQ | RTRS_XRESP | RTRS_XCONT
_TRANSMISSIONS: Final = 16
_RECEIVES: Final = 64
"""Receives of the tester: more than any response may take."""

_FRONT: Final = 512
"""Octets that header and payload of a Send take, where a case places bulk data after them."""

_RECEIVE_LENGTH: Final = 65536
"""Octets of each: what is too long must be seen, not lost with the connection."""

TOLD: Final = Announced(
    _SUPPORT,
    BufferStructure(
        _OCTETS,
        (
            BufferSegmentGroup(1, BufferSegment(1024, 0, 0)),
            BufferSegmentGroup(3, BufferSegment(1024, 0, XMRSFLAG_DDP)),
        ),
    ),
    _OCTETS,
    _TRANSMISSIONS,
    _TRANSMISSIONS,
)
"""What the tester tells of itself: continuation, and targets for bulk data."""

NO_TARGETS: Final = Announced(_SUPPORT, None, _OCTETS, _TRANSMISSIONS, _TRANSMISSIONS)
"""Continuation, and no targets."""


@dataclass(frozen=True, slots=True)
class GroupClient:
    """The tester, on a connection on which both ends have told what they have to tell."""

    peer: Peer

    @classmethod
    def of(cls, connect: Callable[..., Peer], told: Announced | None = TOLD) -> GroupClient:
        """The tester on a new connection.

        Args:
            connect: makes it, in Version Two.
            told: what the tester tells of itself; None: nothing at all.

        Raises:
            Deviation: a good call is not answered.
        """
        client = cls(connect(receives=_RECEIVES, receive_length=_RECEIVE_LENGTH))
        client.fence()
        client._let_announce()
        if told is not None:
            client.tell(told)
        client.fence()
        return client

    def _let_announce(self) -> None:
        """Give the device the time to say what it has to (see `verify.announced`)."""
        if "connprop" in self.peer.profile.claims.operations:
            given_occasion(
                lambda: any(isinstance(one.option, ConnProp) for one in self.peer.options),
                self.fence,
                self.peer.next_option,
            )

    @property
    def announced(self) -> Announced:
        """What the device has told."""
        return self.peer.announced

    def tell(self, told: Announced) -> None:
        """Tell the device what the tester takes, and go by that."""
        values = told.values(self.peer.device.properties)
        self.peer.send(build.option(self.peer, ConnProp(values, ())))
        self.peer.told = told

    def place(
        self, length: int, *, send: int = 0, front: int = _FRONT, offset: int = 0
    ) -> InTargetedSegments:
        """Target segments of the device that take an item, one after the other.

        Args:
            length: of the item, in octets.
            send: number of the first Send of the group that has any of it.
            front: octets of each Send that header and payload may take.
            offset: of the item in the first segment.

        Raises:
            Unsupported: the device has no target segment after so many octets of a Send, or the
                first is not long enough for the offset.
        """
        layout = self.announced.layout
        usable = [n for n, one in enumerate(layout.targets) if one.start >= front]
        if not usable:
            raise Unsupported("the device has told of no target segment after the headers")
        if offset >= layout.targets[usable[0]].length:
            raise Unsupported(f"the device's target segments end before an offset of {offset}")
        numbers: list[int] = []
        left = length + offset
        while left > 0:
            for number in usable:
                if left > 0:
                    numbers.append(send * len(layout.targets) + number)
                    left -= layout.targets[number].length
            send += 1
        return InTargetedSegments(offset, tuple(numbers))

    def in_targets(self, *numbers: int) -> InTargetedSegments:
        """These target segments of the device, in this order."""
        return InTargetedSegments(0, numbers)

    def last_send(self, where: InTargetedSegments) -> int:
        """The number of the last Send of its group that such an item is in."""
        return max(self.announced.layout.target(number)[0] for number in where.xmdl_bsnum)

    def send(self, call: GroupCall) -> GroupCall:
        """Send a request; returns it.

        Raises:
            Unsupported: it takes more credits than the device grants (D-109).
        """
        verify.granted.require(self.peer, len(call.draft.sends))
        self.peer.send(call.message)
        return call

    def send_all(self, *messages: Message) -> None:
        """Send transmissions, or other messages, one after the other."""
        for message in messages:
            self.peer.send(message)

    def nothing_more(self, breaks: str) -> None:
        """Nothing has come beside what was asked for, and a good call is answered next."""
        self.fence((breaks,))
        verify.silent(self.peer, breaks=breaks)

    def fence(self, breaks: tuple[str, ...] = ()) -> None:
        """A good call in one Send, which is answered, and before anything else."""
        call = build.small_call(self.peer, credits=CREDITS)
        self.peer.send(call)
        verify.served(self.peer, call, breaks=breaks)
