"""Calls under RPCSEC_GSS, for a workload that can be called so.

The suite's own program has a mechanism that protects nobody (`rpcrdma.ulp.gss_mechanism`): what a
transport does with protected messages does not depend on what protects them.  Other programs take
Kerberos, where the session of the device has a ticket; elsewhere these raise `Unsupported`, and the
case is N/A.

    rfc8166 section 8.2.2  RPCSEC_GSS on RPC-over-RDMA Transports
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Final

from conformance.tester.workload.base import UnderGss
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import gss
from rpcrdma.ulp.gss_program import GssLayer
from rpcrdma.wire._generated_gss import GssService
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.sent import Request
    from conformance.tester.workload.base import Workload
    from rpcrdma.ulp.gss_context import GssContext, GssInitiation, GssInitiator, GssMechanism

__all__ = ["SERVICES", "WRAPPED", "AskedContext", "Protection", "ask_for_context", "exchange"]

SERVICES: Final = {
    "none": GssService.RPC_GSS_SVC_NONE,
    "integrity": GssService.RPC_GSS_SVC_INTEGRITY,
    "privacy": GssService.RPC_GSS_SVC_PRIVACY,
}
"""What a credential may ask for."""

WRAPPED: Final = ("integrity", "privacy")
"""Those under which arguments and results do not stand as they are."""


@dataclass(frozen=True, slots=True)
class AskedContext:
    """A context that is to be asked for.

    Attributes:
        request: RPCSEC_GSS_INIT.
    """

    request: Request
    _initiation: GssInitiation
    _mechanism: GssMechanism

    def given_by(self, reply: bytes) -> Protection:
        """The tester's end of the context that a reply gives.

        Raises:
            DecodeError: it gives none.
        """
        results = gss.given(reply)
        context = self._initiation.finish(results.handle, results.gss_token)
        return Protection(context, self._mechanism)


def ask_for_context(workload: Workload) -> AskedContext:
    """Begin a context.

    Raises:
        Unsupported: the program cannot be called under RPCSEC_GSS.
        TargetError: the tester's ticket is not valid any more.
    """
    under, initiator = _under_gss(workload)
    initiation = initiator.begin()
    request = under.ask_for_context(initiation.token)
    return AskedContext(request, initiation, initiator.mechanism)


def exchange(workload: Workload, length: int) -> Request:
    """A DDP-eligible argument, which comes back as a DDP-eligible result if the program can.

    Raises:
        Unsupported: the program cannot be called under RPCSEC_GSS.
    """
    under, _ = _under_gss(workload)
    return under.exchange(length)


@dataclass(frozen=True, slots=True)
class Protection:
    """The tester's end of a context."""

    context: GssContext
    mechanism: GssMechanism
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def of(self, request: Request, service: str) -> Request:
        """The same request under the context, with a sequence number of its own.

        Args:
            request: without protection.
            service: a key of `SERVICES`.
        """
        number = next(self._numbers)
        made: dict[int, bytes] = {}  # by XID: a call that is protected anew is another one

        def encode(xid: int) -> bytes:
            if xid not in made:
                call = request.encode(xid)
                made[xid] = gss.protect_call(call, self.context, SERVICES[service], number)
            return made[xid]

        def check(call: bytes, reply: bytes) -> str:
            found = gss.decode_gss_call(call, self.mechanism)
            if found is None:
                return "the call is not protected"
            try:
                plain = gss.unprotect_reply(found, reply)
            except DecodeError as error:
                return f"the reply is not protected as its call is: {error}"
            return request.check(found.unprotected(), plain)

        return replace(
            request,
            title=f"{request.title} under RPCSEC_GSS with {service}",
            encode=encode,
            check=check,
            layer=GssLayer(request.layer, self.mechanism),
            fails=request.fails if service == "none" else _never,
        )


def _never(_reply: bytes) -> bool:
    return False


def _under_gss(workload: Workload) -> tuple[UnderGss, GssInitiator]:
    initiator = workload.initiator() if isinstance(workload, UnderGss) else None
    if not isinstance(workload, UnderGss) or initiator is None:
        raise Unsupported(
            "the profile claims no Kerberos (`claims.kerberos`), or the suite knows no protected"
            " calls of its binding, so that there is no context of RPCSEC_GSS"
        )
    return workload, initiator
