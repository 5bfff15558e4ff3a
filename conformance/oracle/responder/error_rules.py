"""What every RDMA_ERROR of a Responder must look like, given the message that it answers.

rfc8166 section 4.2.4  Procedure Number (nothing stands after an error)
rfc8166 section 4.5    Error Handling (XID and version are those of the message at fault)
v2 section 3.1         Optional Features (the refusal of an optional message)
v2 section 4.2.3       Transport Errors (the same, under the ids of Version Two)

Both who waits for one answer (`conformance.verify.answers`) and who judges any
(`conformance.oracle.responder.expectation`) go by these rules.  Which error it has to be is not
looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import ErrChunk, ErrVers, InvalidOption
from conformance.oracle.sizes import ERR_CHUNK_MESSAGE, ERR_VERS_MESSAGE
from conformance.oracle.verdict import broken_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.oracle.verdict import BrokenRule

__all__ = ["NO_PAYLOAD", "VERSION_ECHOED", "XID_ECHOED", "broken_error_rules"]

XID_ECHOED: Final = "rfc8166.4.5.error-xid-echoed"
VERSION_ECHOED: Final = "rfc8166.4.5.error-version-echoed"
NO_PAYLOAD: Final = "rfc8166.4.2.4.error-carries-no-payload"

REFUSAL_XID: Final = "v2.3.1.refusal-echoes-the-xid"

AnyError = ErrVers | ErrChunk | InvalidOption

_LENGTHS: Final[Mapping[type[AnyError], int]] = {
    ErrVers: ERR_VERS_MESSAGE,
    ErrChunk: ERR_CHUNK_MESSAGE,
    InvalidOption: ERR_CHUNK_MESSAGE,
}
"""Octets of the error messages (rfc8166 4.1.2, v2 4.2)."""


def broken_error_rules(error: AnyError, xid: int, version: int) -> tuple[BrokenRule, ...]:
    """The rules that an error breaks.

    Args:
        error: as it came.
        xid: rdma_xid of the message that it answers.
        version: rdma_vers of that message.
    """
    return tuple(_broken(error, xid, version))


def _broken(error: AnyError, xid: int, version: int) -> Iterator[BrokenRule]:
    # rfc8166 4.5.1: whoever reads an ERR_VERS may know Version One alone, so it keeps its rules.
    spoken = 1 if isinstance(error, ErrVers) else version
    if error.xid != xid:
        rule = REFUSAL_XID if isinstance(error, InvalidOption) else XID_ECHOED
        detail = f"rdma_xid of the error is {error.xid:#010x}, not {xid:#010x}"
        yield broken_rule(rule, detail, spoken)
    found = error.header.rdma_vers
    if found != version:
        detail = f"rdma_vers of the error is {found}, not {version}"
        yield broken_rule(VERSION_ECHOED, detail, spoken, ("D-11",))
    if error.length != _LENGTHS[type(error)]:
        detail = f"the error message has {error.length} octets"
        yield broken_rule(NO_PAYLOAD, detail, spoken, ("D-32",))
