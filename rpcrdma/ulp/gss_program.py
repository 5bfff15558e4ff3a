"""A program that can be called under RPCSEC_GSS, and its binding then.

    rfc8166 section 8.2.2    RPCSEC_GSS on RPC-over-RDMA Transports
    rfc8166 section 8.2.2.2  under authentication alone a binding is what it is without
    rfc8166 section 8.2.2.3  under integrity and privacy nothing is DDP-eligible
    rfc2203 section 5.3.3    Server Processing of RPC Data Requests

What is about contexts has no eligible item either.  A call whose context nobody has given out gets
RPCSEC_GSS_CREDPROBLEM, as does one whose verifier is not of it; arguments that were not protected
as the credential says get GARBAGE_ARGS.  To end a context changes nothing (`gss_mechanism`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp.bindings import (
    NOTHING_REDUCED,
    XDR_UNIT,
    DataItem,
    ReplyExpectation,
    UpperLayer,
    padded,
)
from rpcrdma.ulp.gss_context import HANDLE_LENGTH
from rpcrdma.ulp.gss_mechanism import MOCK
from rpcrdma.wire import _generated_gss as wire
from rpcrdma.wire.rpc import AuthStatus

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.ulp.bindings import Program
    from rpcrdma.ulp.gss_context import GssMechanism

__all__ = ["GssLayer", "GssProgram"]

REFUSAL: Final = ReplyExpectation(rpc.REPLY_MAXIMUM_LENGTH)


class GssLayer(UpperLayer):
    """An upper layer, called with or without RPCSEC_GSS.

    Args:
        inner: the upper layer, which knows nothing of it.
        mechanism: whose contexts there are; it may have given them out for others as well.
    """

    def __init__(self, inner: UpperLayer, mechanism: GssMechanism = MOCK) -> None:
        self._inner = inner
        self._mechanism = mechanism
        self._deferred: dict[int, gss.GssCall] = {}
        """Protected calls that have not been answered, by XID."""

    @override
    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        if not gss.is_gss(call):
            return self._inner.arguments(call)
        found = self._decoded(call)
        if found is None or not found.is_data or found.context is None:
            return ()
        if not found.is_wrapped:
            return self._inner.arguments(call)
        self._inner.arguments(found.unprotected())  # which says whether the call is valid
        return ()  # rfc8166 8.2.2.3

    @override
    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        found = self._decoded(call) if gss.is_gss(call) else None
        if found is None or (found.is_data and not found.is_wrapped):
            return self._inner.results(call, reply, reduced)
        answered, _ = rpc.decode_reply(reply)
        if answered.xid != found.header.xid:
            raise LocalProtocolError(f"{answered.xid:#010x} answers {found.header.xid:#010x}")
        return ()  # rfc8166 8.2.2.3

    @override
    def origins(self, call: bytes) -> tuple[int, ...]:
        return () if gss.is_gss(call) else self._inner.origins(call)

    @override
    def expectation(self, call: bytes) -> ReplyExpectation:
        if not gss.is_gss(call):
            return self._inner.expectation(call)
        found = self._decoded(call)
        if found is None or (found.is_data and found.context is None):
            return REFUSAL
        if not found.is_data:
            return self._control_reply()
        # rfc8166 8.2.2.2: room for the verifier, which is longer than an empty one.
        inner = self._inner.expectation(found.unprotected())
        more = padded(self._mechanism.mic_length)
        if not found.is_wrapped:
            return ReplyExpectation(inner.maximum + more, inner.items, inner.guessed, inner.exact)
        size = inner.maximum - rpc.REPLY_HEADER_LENGTH
        size = gss.protected_size(found.service, size, self._mechanism)
        return ReplyExpectation(rpc.REPLY_HEADER_LENGTH + more + size, guessed=inner.guessed)

    @override
    def execute(self, call: bytes) -> list[bytes]:
        if not gss.is_gss(call):
            return self._protected(self._inner.execute(call))
        try:
            header, _ = rpc.decode_call(call)
            found = self._decoded(call)
        except DecodeError:
            return []
        if header.rpc_version != rpc.RPC_VERSION:
            return [rpc.rpc_mismatch(header.xid)]
        if found is None:
            return [rpc.auth_error(header.xid, AuthStatus.AUTH_BADCRED)]
        return self._execute(found)

    def _decoded(self, call: bytes) -> gss.GssCall | None:
        return gss.decode_gss_call(call, self._mechanism)

    def _control_reply(self) -> ReplyExpectation:
        """The largest reply about a context: handle, three words, and the server's token."""
        opaques = (self._mechanism.mic_length, HANDLE_LENGTH, self._mechanism.token_length)
        words = 5 * XDR_UNIT  # two of them are counts
        return ReplyExpectation(rpc.REPLY_HEADER_LENGTH + words + sum(map(padded, opaques)))

    def _execute(self, call: gss.GssCall) -> list[bytes]:
        xid = call.header.xid
        match call.credential.gss_proc:
            case wire.GssProcedure.RPCSEC_GSS_INIT:
                try:
                    return [gss.init_reply(call)]
                except DecodeError:
                    return [rpc.garbage_args(xid)]
            case wire.GssProcedure.RPCSEC_GSS_CONTINUE_INIT:
                # One exchange makes a context of this mechanism.
                return [rpc.auth_error(xid, AuthStatus.RPCSEC_GSS_CREDPROBLEM)]
            case _:
                return self._execute_within(call)

    def _execute_within(self, call: gss.GssCall) -> list[bytes]:
        """What a call of an established context gets."""
        xid = call.header.xid
        if call.context is None:
            return [rpc.auth_error(xid, AuthStatus.RPCSEC_GSS_CREDPROBLEM)]
        if call.credential.seq_num >= wire.RPCSEC_GSS_MAXSEQ:
            return [rpc.auth_error(xid, AuthStatus.RPCSEC_GSS_CTXPROBLEM)]
        if not call.is_data:
            return [gss.protect_reply(call, rpc.accepted(xid))]
        try:
            plain = call.unprotected()
        except DecodeError:
            return [gss.protect_reply(call, rpc.garbage_args(xid))]
        self._deferred[xid] = call
        return self._protected(self._inner.execute(plain))

    def _protected(self, replies: list[bytes]) -> list[bytes]:
        """Replies, each as its call was."""
        if not self._deferred:
            return replies
        return [self._protected_as_its_call(reply) for reply in replies]

    def _protected_as_its_call(self, reply: bytes) -> bytes:
        answered, _ = rpc.decode_reply(reply)
        call = self._deferred.pop(answered.xid, None)
        return reply if call is None else gss.protect_reply(call, reply)


class GssProgram(GssLayer):
    """A program, called with or without RPCSEC_GSS.

    Attributes:
        number: the RPC program number.
        version: of the program.
    """

    def __init__(self, inner: Program, mechanism: GssMechanism = MOCK) -> None:
        """Serve a program; see `GssLayer`."""
        super().__init__(inner, mechanism)
        self.number = inner.number
        self.version = inner.version
