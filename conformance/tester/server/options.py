"""What a client says beside its calls in Version Two: optional messages, and errors about them.

    v2 section 3.1  Optional Features
    v2 section 3.2  Message Direction

They are put aside as they come, so that nothing else trips over them; nobody answers them but a
case that wants to.

    announced = service.options.next(lambda message: isinstance(message.option, ConnProp))
    xid = service.options.send(UnknownOption(77, b""))
    error = service.options.answer(xid)
    service.options.refuse(announced)
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.header import is_two
from conformance.tester.case import Inconclusive
from conformance.tester.claimed import device_of
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import XmtReq
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.versions import FIXED_WORDS, fixed_words
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server.line import Line
    from conformance.tester.server.service import Service
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import PropertyNumbers

__all__ = [
    "FIRST_XID",
    "REFUSAL",
    "Options",
    "ReceivedOption",
    "any_option",
    "encode_two",
    "refusal",
]

FIRST_XID: Final = 0x7E510001
"""Of the tester's own optional messages; far from where clients begin."""

REFUSAL: Final = v2.ErrInvalidOption()
"""The error that says that an operation is not supported."""

_ASIDE: Final = (v2.Rdma2Procedure.RDMA2_ERROR, v2.Rdma2Procedure.RDMA2_OPTIONAL)


@dataclass(frozen=True, slots=True)
class ReceivedOption:
    """An RDMA2_OPTIONAL or RDMA2_ERROR of a client.

    Attributes:
        line: on which it came.
        octets: as received.
        header: decoded; None if that failed.
        behind: octets after the header.
        option: what an RDMA2_OPTIONAL says; None for an error, and if it cannot be decoded.
        problem: why there is no header, or no option; empty if there is.
    """

    line: Line
    octets: bytes
    header: v2.Rdma2Header | None = None
    behind: bytes = b""
    option: Option | None = None
    problem: str = ""

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return fixed_words(self.octets).xid

    @property
    def credits(self) -> int:
        """rdma_credit."""
        return fixed_words(self.octets).credit

    @property
    def is_error(self) -> bool:
        """Whether it is an RDMA2_ERROR."""
        return fixed_words(self.octets).procedure == v2.Rdma2Procedure.RDMA2_ERROR

    @property
    def direction(self) -> MessageType | None:
        """As the header tells it; None without a header."""
        return None if self.header is None else v2.direction_of(self.header.rdma_body)

    @property
    def error(self) -> v2.Rdma2ErrorBody | None:
        """What an RDMA2_ERROR says; None for anything else."""
        body = None if self.header is None else self.header.rdma_body
        return body.error if isinstance(body, v2.Rdma2Error) else None

    def __str__(self) -> str:
        where = f"xid {self.xid:#010x} on connection {self.line.number}"
        if self.header is None:
            return f"{len(self.octets)} octets of Version Two that cannot be read ({self.problem})"
        if self.error is not None:
            return f"RDMA2_ERROR {in_words(self.error)} {where}"
        return f"RDMA2_OPTIONAL {in_words(self.option or self.problem)} {where}"


def any_option(_message: ReceivedOption) -> bool:
    """The predicate that every one fulfils."""
    return True


def refusal(xid: int, credit: int, error: v2.Rdma2ErrorBody = REFUSAL) -> bytes:
    """An error about an optional message under an XID."""
    return encode_two(xid, v2.Rdma2Error(error), credit)


def encode_two(xid: int, body: v2.Rdma2Body, credit: int) -> bytes:
    """A message of Version Two without payload."""
    return v2.encode_header(v2.Rdma2Header(xid, v2.VERSION, credit, body))


class Options:
    """What clients have said in the running case, the oldest first, and what is said to them.

    Attributes:
        messages: all of them.

    Args:
        service: which they talk to.
    """

    def __init__(self, service: Service) -> None:
        self.messages: list[ReceivedOption] = []
        self._service = service
        self._unclaimed: deque[ReceivedOption] = deque()
        self._next_xid = FIRST_XID

    def forget(self) -> None:
        """Begin a case."""
        self.messages = []
        self._unclaimed.clear()

    def take(self, line: Line, octets: bytes) -> bool:
        """Put a message aside if it is no call; returns whether it is none."""
        if len(octets) < FIXED_WORDS or not is_two(octets):
            return False
        if fixed_words(octets).procedure not in _ASIDE:
            return False
        known = device_of(self._service.profile).properties
        message = _read(line, octets, known)
        if isinstance(message.option, XmtReq):
            return False
        self.messages.append(message)
        self._unclaimed.append(message)
        return True

    # -- what the client has said

    def next(
        self, where: Callable[[ReceivedOption], bool] = any_option, timeout: float | None = None
    ) -> ReceivedOption:
        """The next message that fulfils a predicate, those before it forgotten.

        Calls are served meanwhile.

        Raises:
            Inconclusive: none comes.
        """
        found: list[ReceivedOption] = []

        def goes_on() -> bool:
            while self._unclaimed and not found:
                message = self._unclaimed.popleft()
                if where(message):
                    found.append(message)
            return not found

        if not self._service.serve_while(goes_on, timeout):
            raise Inconclusive("no such optional message of the client's came")
        return found[0]

    def answer(self, xid: int, *, is_due: bool = False) -> ReceivedOption | None:
        """What comes under an XID of the tester's within the grace period; None if nothing does.

        What `is_due` is waited for until the deadline.  Calls are served meanwhile.
        """
        found: list[ReceivedOption] = []

        def goes_on() -> bool:
            found[:] = [message for message in self.messages if message.xid == xid]
            return not found

        profile = self._service.profile
        self._service.serve_while(goes_on, profile.deadline if is_due else profile.grace)
        return found[0] if found else None

    # -- what is said to the client, on the newest connection

    def send(
        self,
        option: Option | v2.Rdma2Optional,
        direction: MessageType = MessageType.CALL,
        *,
        xid: int | None = None,
        credit: int | None = None,
        behind: bytes = b"",
    ) -> int:
        """Send an optional message; returns its XID, if none is given one that nothing has.

        Args:
            option: what it says; an `Rdma2Optional` goes out as it is, with its own direction.
            direction: rdma_optdir.
            xid: rdma_xid.
            credit: rdma_credit; None: what every reply grants.
            behind: octets after the header.
        """
        if xid is None:
            xid = self._next_xid
            self._next_xid += 1
        body = option
        if not isinstance(body, v2.Rdma2Optional):
            body = encode_option(direction, body)
        granted = self._service.grant if credit is None else credit
        self._service.send(encode_two(xid, body, granted) + behind)
        return xid

    def refuse(
        self,
        message: ReceivedOption,
        *,
        credit: int | None = None,
        error: v2.Rdma2ErrorBody = REFUSAL,
    ) -> None:
        """Answer by an error, RDMA2_ERR_INVAL_OPTION unless it is another."""
        granted = self._service.grant if credit is None else credit
        self._service.send(refusal(message.xid, granted, error), message.line)


def _read(line: Line, octets: bytes, known: PropertyNumbers) -> ReceivedOption:
    try:
        header, end = v2.decode_header(octets)
    except DecodeError as error:
        return ReceivedOption(line, octets, problem=str(error))
    option: Option | None = None
    problem = ""
    if isinstance(header.rdma_body, v2.Rdma2Optional):
        try:
            option = decode_option(header.rdma_body, known=known)
        except DecodeError as error:
            problem = str(error)
    return ReceivedOption(line, octets, header, octets[end:], option, problem)
