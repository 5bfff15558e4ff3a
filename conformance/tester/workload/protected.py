"""Calls under RPCSEC_GSS, of the suite's own program and with a mechanism that protects nobody.

What a transport does with protected messages does not depend on what protects them
(`rpcrdma.ulp.gss_mechanism`).  A device that serves another program knows Kerberos or nothing, and
no realm is brought along: there these raise `Unsupported`, and the case is N/A.

    rfc8166 section 8.2.2  RPCSEC_GSS on RPC-over-RDMA Transports
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Final

from conformance.tester.workload.testprog import TestprogWorkload, own_program
from rpcrdma.ulp import gss, testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire._generated_gss import GssService

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.sent import Request
    from conformance.tester.workload.base import Workload
    from rpcrdma.ulp.gss_mechanism import MockContext

__all__ = ["SERVICES", "WRAPPED", "Protection", "ask_for_context", "exchange"]

TOKEN: Final = b"the tester"

SERVICES: Final = {
    "none": GssService.RPC_GSS_SVC_NONE,
    "integrity": GssService.RPC_GSS_SVC_INTEGRITY,
    "privacy": GssService.RPC_GSS_SVC_PRIVACY,
}
"""What a credential may ask for."""

WRAPPED: Final = ("integrity", "privacy")
"""Those under which arguments and results do not stand as they are."""


def ask_for_context(workload: Workload) -> Request:
    """RPCSEC_GSS_INIT, whose reply `Protection.given_by` takes."""
    return _own(workload).request(
        "RPCSEC_GSS_INIT", lambda xid: testprog_calls.gss_init(xid, TOKEN)
    )


def exchange(workload: Workload, length: int) -> Request:
    """A DDP-eligible argument that comes back as a DDP-eligible result."""
    data = pattern(length, 8)
    return _own(workload).request(
        f"EXCHANGE of {length} octets", lambda xid: testprog_calls.exchange(xid, data)
    )


@dataclass(frozen=True, slots=True)
class Protection:
    """The tester's end of a context."""

    context: MockContext
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @classmethod
    def given_by(cls, reply: bytes) -> Protection:
        """That which a reply gives.

        Raises:
            DecodeError: it gives none.
        """
        return cls(gss.established(reply))

    def of(self, request: Request, service: str) -> Request:
        """The same request under the context, with a sequence number of its own.

        Args:
            request: without protection.
            service: a key of `SERVICES`.
        """
        number = next(self._numbers)

        def encode(xid: int) -> bytes:
            call = request.encode(xid)
            return gss.protect_call(call, self.context, SERVICES[service], number)

        title = f"{request.title} under RPCSEC_GSS with {service}"
        return replace(request, title=title, encode=encode)


def _own(workload: Workload) -> TestprogWorkload:
    return own_program(
        workload,
        "there is no context of RPCSEC_GSS but that of the suite's own program; other programs"
        " take a Kerberos realm",
    )
