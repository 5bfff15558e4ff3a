"""One face of the tester for cases about transport properties that either end can be put through.

    xcharext section 1.3  Role Terminology (client and server both take the operations)
    xcharext section 4    New Operations

    xid = tester.send(ConnProp(...))        an operation; `answers(xid)`: what came of it
    tester.call()                           one good RPC, in the forward direction
    tester.longest(3000)                    an RPC for which the device sends 3000 octets, if it may
    tester.deliver(4096, 3)                 RPCs for which it takes messages of just that length
    tester.begun(ROPT_CONNPROP)             what the device has begun itself
    tester.refuse(heard), tester.runt(24)   an error about an operation; what has no meaning
    tester.ask_size(1024)                   have the device ask for a change, if it can be told to

`conformance.options.client` is the tester before a server, `conformance.options.server` before a
client.  `both_ends` makes one test function a case for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import pytest

from conformance.tester.server.options import REFUSAL
from rpcrdma.wire import v2
from rpcrdma.wire.optional import opttype_of
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.oracle.outcome import Outcome
    from conformance.tester.case import CaseLog
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.rpc import MessageType
    from targets.profile import Profile

__all__ = ["ROLES", "Heard", "OptionTester", "both_ends"]

F = TypeVar("F", bound="Callable[..., None]")

ROLES: Final = ("responder", "requester")
"""Of the device."""

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of Version Two that is no RPC: an operation, or an error.

    Attributes:
        xid: rdma_xid.  credits: rdma_credit.
        direction: rdma_optdir; REPLY for an error.
        option: what it says; None for an error, and if it cannot be read.
        error: likewise, of an error.
        problem: why there is neither.
        behind: octets after the header.
        length: octets of the whole message.
    """

    xid: int
    credits: int
    direction: MessageType | None
    option: Option | None = None
    error: v2.Rdma2ErrorBody | None = None
    problem: str = ""
    behind: bytes = b""
    length: int = 0

    @property
    def operation(self) -> int | None:
        """rdma_opttype; None if it is no operation that can be read."""
        return None if self.option is None else opttype_of(self.option)

    @property
    def refuses(self) -> bool:
        """Whether it is RDMA2_ERR_INVAL_OPTION."""
        return isinstance(self.error, v2.ErrInvalidOption)

    @property
    def reports_bad_header(self) -> bool:
        """Whether it is RDMA2_ERR_BAD_HEADER."""
        return isinstance(self.error, v2.ErrBadHeader)

    def __str__(self) -> str:
        what = self.option or self.error or self.problem
        return f"{in_words(what)} xid {self.xid:#010x} credits {self.credits}"


class OptionTester(Protocol):
    """The tester's end of a connection on which Version Two is settled.

    Attributes:
        role: of the device.
        heard: everything that is no RPC, the oldest first.
        replies: XIDs of RPC Replies in Version Two to nothing that the tester has called.
    """

    role: str
    heard: list[Heard]
    replies: list[int]

    @property
    def profile(self) -> Profile:
        """The device's."""
        ...

    @property
    def case(self) -> CaseLog:
        """Notes of the running case."""
        ...

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        ...

    @property
    def credits(self) -> int:
        """What the device's last RPC message requests or grants."""
        ...

    def send(
        self,
        option: Option | v2.Rdma2Optional,
        direction: MessageType = ...,
        *,
        xid: int | None = None,
        behind: bytes = b"",
    ) -> int:
        """Send an operation; returns its XID."""
        ...

    def note_accepted(
        self,
        xid: int,
        *allowed: type[Outcome],
        tolerated: tuple[type[Outcome], ...] = (),
        breaks: Ids = (),
    ) -> None:
        """Note which answers to an operation are accepted, as `conformance.verify.accepted` does.

        Args:
            xid: of the operation, which was sent here.
            allowed: kinds of answer, `Silent` for none.
            tolerated: kinds that bring a warning.
            breaks: requirements that any other answer breaks.
        """
        ...

    def refuse(self, message: Heard, error: v2.Rdma2ErrorBody = REFUSAL) -> None:
        """Answer an operation by an error, RDMA2_ERR_INVAL_OPTION unless it is another."""
        ...

    def runt(self, octets: int) -> None:
        """Send the beginning of a good message: so many octets, too few for a header."""
        ...

    def call(self, breaks: Ids = ()) -> None:
        """One good RPC, which the device must take part in on this very connection.

        Raises:
            Deviation: it does not.
        """
        ...

    def send_within_call(self, option: Option, breaks: Ids = ()) -> int:
        """Send an operation under the XID of an RPC in flight, which is good and comes to its end.

        Raises:
            Unsupported, Inconclusive: there is no RPC that can be held.
            Deviation: the RPC came to nothing.
        """
        ...

    def quiet(self, until: Callable[[], bool] | None = None) -> None:
        """Wait until nothing has come for the grace period.

        Args:
            until: what is due; for that the profile's deadline is waited before.
        """
        ...

    def longest(self, octets: int, breaks: Ids = ()) -> int:
        """An RPC for which the device has to send so many octets, if all of them went inline.

        Returns:
            Octets of the message that it sent.

        Raises:
            Unsupported, Inconclusive: it cannot be brought to do that.
            Deviation: the RPC came to nothing.
        """
        ...

    def attempt(self, octets: int) -> int:
        """As `longest`, of an RPC that may come to nothing; returns 0 if the device sent nothing.

        Raises:
            Unsupported, Inconclusive: it cannot be brought to do that.
        """
        ...

    def deliver(self, octets: int, count: int = 1, breaks: Ids = ()) -> None:
        """RPCs for which the device gets a message of just so many octets each.

        They are made all at once, as far as credits, and the device, allow it.

        Raises:
            Unsupported, Inconclusive: it cannot be brought to do that.
            Deviation: one of them came to nothing.
        """
        ...

    def ask_size(self, octets: int) -> None:
        """Have the device ask for Receives of so many octets.

        Raises:
            Unsupported, Inconclusive: it cannot be told to.
        """
        ...

    def ask_invalidation(self) -> None:
        """Have the device ask that its replies do not invalidate memory.  Raises as `ask_size`."""
        ...

    def change_size(self, octets: int, breaks: tuple[str, ...] = ()) -> None:
        """Have the device make its own Receives that long, and go on with its RPCs.

        Args:
            octets: of each.
            breaks: requirements that are broken if an RPC right after it is not good.

        Raises:
            Unsupported, Inconclusive: it cannot be told to.
        """
        ...

    def again(self) -> OptionTester:
        """A tester on another connection, which replaces this one."""
        ...


def both_ends(
    *ids: str,
    interpretations: tuple[str, ...] = (),
    means: Mapping[str, str | tuple[str, ...]] | None = None,
    wider: str = "",
    narrower: str = "",
) -> Callable[[F], F]:
    """Make a test function with the parameter `tester` a case for a device in either role.

    Args:
        ids: what it tests; the first is its main one.
        interpretations: entries of INTERPRETATIONS.md on which the verdict rests.
        means: as of `conformance.catalogue.cite.requirement`.
        wider: likewise.
        narrower: likewise.
    """
    parameters = [
        pytest.param(
            role,
            marks=pytest.mark.requirement(
                *ids,
                role=role,
                needs=("operations",),
                interpretations=interpretations,
                means=means or {},
                wider=wider,
                narrower=narrower,
            ),
            id=role,
        )
        for role in ROLES
    ]
    return pytest.mark.parametrize("tester", parameters, indirect=True)
