"""The exceptions of the protocol library, as one tree.

    RpcRdmaError
    |- DecodeError            octets that are not what the XDR says they are
    |- EncodeError            an object that the XDR cannot express
    |- LocalProtocolError     this side was asked to do what the documents forbid
    |- RemoteProtocolError    the peer did what the documents forbid
    `- FabricError            the RDMA layer below refused, failed or vanished
       |- BadFrame            octets from the network that are not what they should be
       |- ConnectionRejected
       |- ConnectionLost
       |- DeadlineExceeded
       `- DeviceUnavailable

Any other exception that leaves `rpcrdma` is a bug in it.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "BadFrame",
    "ConnectionLost",
    "ConnectionRejected",
    "DeadlineExceeded",
    "DecodeError",
    "DeviceUnavailable",
    "EncodeError",
    "FabricError",
    "LocalProtocolError",
    "Reason",
    "RemoteProtocolError",
    "RpcRdmaError",
]


class Reason(Enum):
    """Why octets could not be decoded."""

    TRUNCATED = "the buffer ends inside the item"
    BAD_BOOLEAN = "a boolean or optional-data discriminator is neither 0 nor 1"
    BAD_ENUM = "the value is not a member of the enumeration"
    BAD_DISCRIMINANT = "the union has no arm for the value"
    TOO_LONG = "the count exceeds the declared maximum"
    BAD_PADDING = "roundup padding is not zero"
    BAD_TEXT = "the string is not of the declared character set"
    TRAILING = "octets are left after the item"
    BAD_CHECKSUM = "the octets are not those that the checksum is of"


class RpcRdmaError(Exception):
    """Base of every error that the library raises on purpose; never raised itself."""


class DecodeError(RpcRdmaError):
    """Octets that are not what the XDR definition says they are.

    Attributes:
        offset: of the first octet of the item that failed, from the start of the buffer.
        path: of the field, dotted, with list indexes: `rdma_body.rdma_reads[2].position`.
        reason: which rule was broken.
        detail: the offending value or sizes, for a person.
    """

    def __init__(self, offset: int, path: str, reason: Reason, detail: str = "") -> None:
        super().__init__(offset, path, reason, detail)
        self.offset = offset
        self.path = path
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"octet {self.offset}, {self.path or 'message'}: {self.reason.value}{detail}"


class EncodeError(RpcRdmaError):
    """An object that the XDR definition cannot express; `path` names the field."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(path, detail)
        self.path = path
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.path or 'message'}: {self.detail}"


class LocalProtocolError(RpcRdmaError):
    """The caller asked for something that the documents forbid; nothing was sent."""


class RemoteProtocolError(RpcRdmaError):
    """The peer broke a rule; `requirement` is the catalogue's id of it."""

    def __init__(self, requirement: str, detail: str) -> None:
        super().__init__(requirement, detail)
        self.requirement = requirement
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.requirement}: {self.detail}"


class FabricError(RpcRdmaError):
    """The RDMA layer refused, failed or vanished."""


class BadFrame(FabricError):
    """Octets from the network are not the frame, packet or message that they should be.

    The message says what is wrong and where; whoever listens drops the octets.
    """


class ConnectionRejected(FabricError):
    """The peer refused the connection; `private_data` is what it said with the refusal."""

    def __init__(self, detail: str, private_data: bytes = b"") -> None:
        super().__init__(detail)
        self.private_data = private_data


class ConnectionLost(FabricError):
    """The connection is gone, so the operation cannot be posted."""


class DeadlineExceeded(FabricError):
    """What was waited for did not happen in time; the message names it and the seconds."""


class DeviceUnavailable(FabricError):
    """No usable RDMA device, driver or permission; the message says how to mend it."""
