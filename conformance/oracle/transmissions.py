"""What came back in, or about, transmission groups: responses, reports, Sends that make no message.

    rtrext section 4.2  Message Continuation Changes
    rtrext section 9.3  Transmit Response Operation
    rtrext section 9.5  Error Reporting Operation

Whatever else comes is read by `conformance.oracle.outcome`.  A response keeps the Sends that
carried it, since its items say where in them bulk data are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from conformance.oracle.outcome import AnsweringOutcome, OptionReceived, Outcome, read_outcome
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOffset,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadTargetSegment,
    BadXid,
    ReportedError,
)
from rpcrdma.wire.operations import ReptErr, XmtResp
from rpcrdma.wire.properties import BASIC
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import Transmission
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire import v2
    from rpcrdma.wire._generated_rtrext import ErrorInformation
    from rpcrdma.wire.properties import PropertyNumbers
    from rpcrdma.wire.transmission import Arrived, BrokenGroup

__all__ = ["CODES", "GroupAnswered", "Reported", "Scattered", "begins", "read_arrived"]


CODES: Final[Mapping[type[ErrorInformation], ReportedError]] = {
    BadHeaderType: ReportedError.OPTRERR_BADHMT,
    BadOptionalType: ReportedError.OPTRERR_BADOMT,
    BadContinuation: ReportedError.OPTRERR_BADCONT,
    BadSequence: ReportedError.OPTRERR_BADSEQ,
    BadXid: ReportedError.OPTRERR_BADXID,
    BadOffset: ReportedError.OPTRERR_BADOFF,
    BadTargetSegment: ReportedError.OPTRERR_BADTBSN,
    BadPayloadLength: ReportedError.OPTRERR_BADPL,
}
"""The code of each error that a report can have."""


@dataclass(frozen=True, slots=True)
class GroupAnswered(AnsweringOutcome):
    """ROPT_XMTRESP: a response, in one transmission or several.

    Attributes:
        header: of its first Send.
        direction: rdma_optdir.
        contents: of the operation.
        transmission: its Sends.
        payload: the Payload stream of all of them.
    """

    header: v2.Rdma2Header
    direction: MessageType
    contents: XmtResp
    transmission: Transmission
    payload: bytes

    @property
    def xid(self) -> int:
        """rdma_xid."""
        return self.header.rdma_xid

    @property
    def credits(self) -> int:
        """rdma_credit: what is granted."""
        return self.header.rdma_credit

    @property
    def sends(self) -> int:
        """How many transmissions it has."""
        return self.transmission.sends

    @property
    def rpc(self) -> rpc.RpcReply | None:
        """The RPC header; None if there is none that can be decoded."""
        try:
            return rpc.decode_reply(self.payload)[0]
        except DecodeError:
            return None

    def __str__(self) -> str:
        reply = self.rpc
        inline = f", {reply.outcome.value}" if reply else ""
        return (
            f"XMTRESP {self.direction.name} xid {self.xid:#010x} credits {self.credits}, "
            f"{self.sends} transmissions, {len(self.contents.optxrs_ddp)} items, "
            f"{len(self.payload)} octets of payload{inline}"
        )


@dataclass(frozen=True, slots=True)
class Reported(OptionReceived):
    """ROPT_REPTERR: transmissions of this end were faulty."""

    @property
    def report(self) -> ReptErr:
        """What it says."""
        return cast("ReptErr", self.option)

    @property
    def code(self) -> ReportedError:
        """Which error it reports."""
        return CODES[type(self.report.optre_info)]


@dataclass(frozen=True, slots=True)
class Scattered(Outcome):
    """Transmissions that make no message: a group without its end, or an end without a group.

    Attributes:
        group: with what is wrong.
    """

    group: BrokenGroup

    @property
    def xid(self) -> int:
        """rdma_xid of the transmission with the fault."""
        return self.group.report.optre_bad.xmsi_xid

    def __str__(self) -> str:
        report = in_words(self.group.report)
        return f"{len(self.group.lost)} transmissions that make no message: {report}"


def begins(option: OptionReceived) -> bool:
    """Whether its sender begins something by an operation, and so answers nothing.

    An error report is about a message, whatever its direction word says (D-110).
    """
    return option.direction is MessageType.CALL and not isinstance(option, Reported)


def read_arrived(arrived: Arrived, known: PropertyNumbers = BASIC) -> Outcome:
    """Say what a message, or a group that never became one, is.  Never raises.

    Args:
        arrived: which.
        known: the transport properties that its sender knows.
    """
    if not isinstance(arrived, Transmission):
        return Scattered(arrived)
    outcome = read_outcome(arrived.octets, known)
    match outcome:
        case OptionReceived(header=header, body=body, option=XmtResp() as contents):
            return GroupAnswered(header, body.rdma_optdir, contents, arrived, outcome.payload)
        case OptionReceived(header=header, body=body, option=ReptErr() as report):
            return Reported(header, body, report, None, outcome.payload, outcome.length)
        case _:
            return outcome
