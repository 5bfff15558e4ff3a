"""What every RDMA_ERROR of a Responder must look like, given the message that it answers.

rfc8166 section 4.2.4  Procedure Number (nothing stands behind an error)
rfc8166 section 4.5    Error Handling (XID and version are those of the message at fault)

Both who waits for one answer (`conformance.verify`) and who judges any (`conformance.expectation`)
go by these rules.  Which error it has to be is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.outcome import ErrChunk, ErrVers
from conformance.reply_rules import BrokenRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["NO_PAYLOAD", "VERSION_ECHOED", "XID_ECHOED", "broken_error_rules"]

XID_ECHOED: Final = "rfc8166.4.5.error-xid-echoed"
VERSION_ECHOED: Final = "rfc8166.4.5.error-version-echoed"
NO_PAYLOAD: Final = "rfc8166.4.2.4.error-carries-no-payload"

_LENGTHS: Final[Mapping[type[ErrVers | ErrChunk], int]] = {ErrVers: 28, ErrChunk: 20}
"""Octets of the two error messages (rfc8166 4.1.2)."""


def broken_error_rules(error: ErrVers | ErrChunk, xid: int, version: int) -> tuple[BrokenRule, ...]:
    """The rules that an error breaks.

    Args:
        error: as it came.
        xid: rdma_xid of the message that it answers.
        version: rdma_vers of that message.
    """
    return tuple(_broken(error, xid, version))


def _broken(error: ErrVers | ErrChunk, xid: int, version: int) -> Iterator[BrokenRule]:
    if error.xid != xid:
        yield BrokenRule(XID_ECHOED, f"rdma_xid of the error is {error.xid:#x}, not {xid:#x}")
    found = error.header.rdma_vers
    if found != version:
        detail = f"rdma_vers of the error is {found}, not {version}"
        yield BrokenRule(VERSION_ECHOED, detail, ("D-11",))
    if error.length != _LENGTHS[type(error)]:
        detail = f"the error message has {error.length} octets"
        yield BrokenRule(NO_PAYLOAD, detail, ("D-32",))
