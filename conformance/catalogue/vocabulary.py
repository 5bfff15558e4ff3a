"""The words of the catalogue: how binding a requirement is, whom it binds, whether it shows."""

from __future__ import annotations

from enum import Enum

__all__ = ["Level", "Role", "Testability"]


class Level(Enum):
    """How binding a requirement is: its BCP 14 keyword, or RULE where the text uses none."""

    MUST = "MUST"
    MUST_NOT = "MUST NOT"
    SHOULD = "SHOULD"
    SHOULD_NOT = "SHOULD NOT"
    MAY = "MAY"
    RULE = "RULE"


class Role(Enum):
    """Whom a requirement binds."""

    REQUESTER = "requester"
    RESPONDER = "responder"
    BOTH = "both"
    """Either end, whatever it does."""
    SENDER = "sender"
    """Whoever sends the message in question."""
    RECEIVER = "receiver"
    """Whoever receives the message in question."""
    CLIENT = "client"
    """The end that opened the connection, in either direction (bidir): a forward Requester."""
    SERVER = "server"
    """The end that awaited the connection, in either direction (bidir): a forward Responder."""
    ULB = "ulb"
    """The author of an Upper-Layer Binding."""
    SPECIFICATION = "specification"
    """The author of a later version or an extension."""
    PROVIDER = "provider"
    """The RDMA device and driver below."""
    DEPLOYMENT = "deployment"
    """Whoever sets up and names the service."""


class Testability(Enum):
    """Whether a device's messages can show that it keeps a requirement."""

    __test__ = False  # its name begins like a test's

    WIRE = "wire"
    INTERNAL = "internal"
    """It binds an implementation, but within: no message shows it."""
    UNTESTABLE = "untestable"
    """It binds nobody whom a case could look at, or takes what no suite can bring about."""
