"""Messages under RPCSEC_GSS: credentials, verifiers, and what goes around arguments and results.

    rfc2203 section 5.2  Context Creation
    rfc2203 section 5.3  RPC Data Exchange

An *unprotected* call or reply here is one without credential and verifier, with the arguments or
results as the program has them.  The mechanism is `rpcrdma.ulp.gss_mechanism`, which is a mock,
unless another is given.
A reply repeats the sequence number of its call; the window of numbers is not kept, since nothing
here is worth replaying.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import XDR_UNIT, padded
from rpcrdma.ulp.gss_mechanism import MIC_LENGTH, MOCK, MockContext
from rpcrdma.wire import _generated_gss as wire
from rpcrdma.wire.rpc import AuthFlavor
from rpcrdma.xdr.runtime import word_at

if TYPE_CHECKING:
    from rpcrdma.ulp.gss_context import GssContext, GssMechanism
    from rpcrdma.wire._generated_gss import GssService

__all__ = [
    "VERIFIER_LENGTH",
    "WINDOW",
    "GssCall",
    "decode_gss_call",
    "established",
    "given",
    "init_call",
    "init_reply",
    "is_gss",
    "protect_call",
    "protect_reply",
    "protected_size",
    "unprotect_reply",
]

FLAVOR: Final = int(AuthFlavor.RPCSEC_GSS)
FLAVOR_PLACE: Final = 24
"""Offset of the credential's flavor in a call: XID, CALL, RPC version, program, version, procedure
stand before it (RFC 5531 section 9)."""

WINDOW: Final = 128
"""Sequence numbers that a server says to keep."""

VERIFIER_LENGTH: Final = MIC_LENGTH
"""Octets by which the verifier of a reply is longer than an empty one, by the mock mechanism."""


@dataclass(frozen=True, slots=True)
class GssCall:
    """A call under RPCSEC_GSS.

    Attributes:
        header: of the call.
        credential: what its credential says.
        octets: the call.
        start: offset of its arguments, protected or not.
        mechanism: of its context.
    """

    header: rpc.RpcCall
    credential: wire.GssCredential
    octets: bytes
    start: int
    mechanism: GssMechanism = MOCK

    @property
    def is_data(self) -> bool:
        """Whether it calls a procedure, and does not make or end a context."""
        return self.credential.gss_proc is wire.GssProcedure.RPCSEC_GSS_DATA

    @property
    def is_wrapped(self) -> bool:
        """Whether arguments and results are under integrity or privacy."""
        return self.is_data and self.service is not wire.GssService.RPC_GSS_SVC_NONE

    @property
    def service(self) -> GssService:
        """What its credential asks for."""
        return self.credential.service

    @property
    def context(self) -> GssContext | None:
        """The context of the call; None if nobody gave it out, or if the verifier is not of it."""
        context = self.mechanism.context_of(self.credential.handle)
        verifier = self.header.verifier
        signed = self.octets[: self.start - 2 * XDR_UNIT - padded(len(verifier.body))]
        if context is None or verifier.flavor != FLAVOR:
            return None
        return context if context.is_mic(signed, verifier.body) else None

    def unprotected(self) -> bytes:
        """The same call without protection.

        Raises:
            DecodeError: the arguments are not what the service makes of any.
            LocalProtocolError: nobody has given out its context.
        """
        arguments = self.octets[self.start :]
        if self.is_wrapped:
            arguments = _unwrap(arguments, self.given(), self.credential)
        one = self.header
        return rpc.encode_call(one.xid, one.program, one.version, one.procedure, arguments)

    def given(self) -> GssContext:
        """The context that its credential names, whatever its verifier.

        Raises:
            LocalProtocolError: there is none.
        """
        context = self.mechanism.context_of(self.credential.handle)
        if context is None:
            raise LocalProtocolError(f"{self.header.xid:#010x} has no context")
        return context


def is_gss(call: bytes) -> bool:
    """Whether the credential of a call is of RPCSEC_GSS."""
    return len(call) >= FLAVOR_PLACE + XDR_UNIT and word_at(call, FLAVOR_PLACE) == FLAVOR


def decode_gss_call(call: bytes, mechanism: GssMechanism = MOCK) -> GssCall | None:
    """What is to be known of a call; None if its credential is of another flavor, or is none.

    Args:
        call: unreduced.
        mechanism: whose contexts there are.

    Raises:
        DecodeError: the octets do not begin with a call header.
    """
    header, start = rpc.decode_call(call)
    if header.credential.flavor != FLAVOR:
        return None
    try:
        credential, end = wire.decode_gss_credential(header.credential.body)
    except DecodeError:
        return None
    known = credential.vers == wire.RPCSEC_GSS_VERS_1 and end == len(header.credential.body)
    return GssCall(header, credential, call, start, mechanism) if known else None


def init_call(xid: int, program: int, version: int, token: bytes) -> bytes:
    """The call by which a client asks for a context: procedure 0, whatever its results."""
    credential = wire.GssCredential(
        wire.RPCSEC_GSS_VERS_1,
        wire.GssProcedure.RPCSEC_GSS_INIT,
        0,
        wire.GssService.RPC_GSS_SVC_NONE,
        b"",
    )
    body = wire.encode_gss_credential(credential)
    arguments = wire.encode_gss_init_arguments(wire.GssInitArguments(token))
    return rpc.encode_call(
        xid, program, version, 0, arguments, credential=rpc.Authentication(FLAVOR, body)
    )


def init_reply(call: GssCall) -> bytes:
    """The reply that gives a client its context.

    Raises:
        DecodeError: the call has no token, or none that gives a context.
    """
    arguments, end = wire.decode_gss_init_arguments(call.octets, call.start)
    if end != len(call.octets):
        raise DecodeError(end, "arguments", Reason.TRAILING, f"{len(call.octets) - end} octets")
    accepted = call.mechanism.accept(arguments.gss_token)
    context = accepted.context
    window = wire.encode_gss_sequence(wire.GssSequence(WINDOW))
    results = wire.GssInitResult(context.handle, wire.GSS_S_COMPLETE, 0, WINDOW, accepted.token)
    return _reply(
        rpc.RpcReply(call.header.xid, rpc.RpcOutcome.SUCCESS),
        context.mic(window),
        wire.encode_gss_init_result(results),
    )


def established(reply: bytes) -> MockContext:
    """The context that a server has given out, by the mock mechanism.

    Raises:
        DecodeError: it has not.
    """
    return MockContext(given(reply).handle)


def protect_call(call: bytes, context: GssContext, service: GssService, sequence: int) -> bytes:
    """An unprotected call under a context.

    Raises:
        DecodeError: it is no call.
    """
    header, start = rpc.decode_call(call)
    credential = wire.GssCredential(
        wire.RPCSEC_GSS_VERS_1,
        wire.GssProcedure.RPCSEC_GSS_DATA,
        sequence,
        service,
        context.handle,
    )
    encode = partial(
        rpc.encode_call,
        header.xid,
        header.program,
        header.version,
        header.procedure,
        credential=rpc.Authentication(FLAVOR, wire.encode_gss_credential(credential)),
    )
    # An empty verifier is a flavor and a count; what stands before it is what is signed.
    signed = encode()[: -2 * XDR_UNIT]
    arguments = _wrap(call[start:], context, credential)
    return encode(arguments, verifier=rpc.Authentication(FLAVOR, context.mic(signed)))


def protect_reply(call: GssCall, reply: bytes) -> bytes:
    """An unprotected reply under the context of its call; a rejection is as it was.

    Raises:
        DecodeError: it is no reply.
        LocalProtocolError: nobody has given out the context.
    """
    answered, start = rpc.decode_reply(reply)
    if answered.outcome in (rpc.RpcOutcome.RPC_MISMATCH, rpc.RpcOutcome.AUTH_ERROR):
        return reply
    context = call.given()
    results = reply[start:]
    if call.is_wrapped and answered.succeeded:
        results = _wrap(results, context, call.credential)
    sequence = wire.encode_gss_sequence(wire.GssSequence(call.credential.seq_num))
    return _reply(answered, context.mic(sequence), results)


def given(reply: bytes) -> wire.GssInitResult:
    """What a server answers whoever has asked for a context.

    Raises:
        DecodeError: it gives none.
    """
    answered, start = rpc.decode_reply(reply)
    if not answered.succeeded:
        raise DecodeError(start, "results", Reason.TRUNCATED, answered.outcome.value)
    results, end = wire.decode_gss_init_result(reply, start)
    if results.gss_major != wire.GSS_S_COMPLETE:
        words = f"{results.gss_major:#010x}, {results.gss_minor:#010x} of the mechanism's own"
        raise DecodeError(start, "gss_major", Reason.BAD_ENUM, words)
    if end != len(reply):
        raise DecodeError(end, "results", Reason.TRAILING, f"{len(reply) - end} octets")
    return results


def unprotect_reply(call: GssCall, reply: bytes) -> bytes:
    """The reply to a call without protection; a rejection is as it was.

    Raises:
        DecodeError: the verifier is not of the call, or the results are not under its service.
        LocalProtocolError: nobody has given out the context.
    """
    answered, start = rpc.decode_reply(reply)
    if answered.outcome in (rpc.RpcOutcome.RPC_MISMATCH, rpc.RpcOutcome.AUTH_ERROR):
        return reply
    context, verifier = call.given(), answered.verifier
    sequence = wire.encode_gss_sequence(wire.GssSequence(call.credential.seq_num))
    if verifier.flavor != FLAVOR or not context.is_mic(sequence, verifier.body):
        raise DecodeError(start, "verifier", Reason.BAD_CHECKSUM, f"{len(verifier.body)} octets")
    results = reply[start:]
    if call.is_wrapped and answered.succeeded:
        results = _unwrap(results, context, call.credential)
    return rpc.encode_reply(replace(answered, verifier=rpc.AUTH_NONE), results)


def protected_size(service: GssService, size: int, mechanism: GssMechanism = MOCK) -> int:
    """How many octets so many octets of arguments or results have under a service."""
    body = XDR_UNIT + size
    match service:
        case wire.GssService.RPC_GSS_SVC_NONE:
            return size
        case wire.GssService.RPC_GSS_SVC_INTEGRITY:
            return XDR_UNIT + padded(body) + XDR_UNIT + padded(mechanism.mic_length)
        case wire.GssService.RPC_GSS_SVC_PRIVACY:
            return XDR_UNIT + padded(body + mechanism.seal_length)


def _reply(answered: rpc.RpcReply, mic: bytes, results: bytes) -> bytes:
    return rpc.encode_reply(replace(answered, verifier=rpc.Authentication(FLAVOR, mic)), results)


def _wrap(octets: bytes, context: GssContext, credential: wire.GssCredential) -> bytes:
    sequence = credential.seq_num
    body = wire.encode_gss_sequence(wire.GssSequence(sequence)) + octets
    match credential.service:
        case wire.GssService.RPC_GSS_SVC_NONE:
            return octets
        case wire.GssService.RPC_GSS_SVC_INTEGRITY:
            data = wire.GssIntegrityData(body, context.mic(body))
            return wire.encode_gss_integrity_data(data)
        case wire.GssService.RPC_GSS_SVC_PRIVACY:
            return wire.encode_gss_privacy_data(wire.GssPrivacyData(context.wrap(sequence, body)))


def _unwrap(octets: bytes, context: GssContext, credential: wire.GssCredential) -> bytes:
    """What is inside of integrity or privacy."""
    if credential.service is wire.GssService.RPC_GSS_SVC_INTEGRITY:
        data, end = wire.decode_gss_integrity_data(octets)
        body = data.databody_integ
        if not context.is_mic(body, data.checksum):
            raise DecodeError(end, "checksum", Reason.BAD_CHECKSUM, f"{len(body)} octets")
    else:
        sealed, end = wire.decode_gss_privacy_data(octets)
        body = context.unwrap(credential.seq_num, sealed.databody_priv)
    if end != len(octets):
        raise DecodeError(end, "arguments", Reason.TRAILING, f"{len(octets) - end} octets")
    sequence, start = wire.decode_gss_sequence(body)
    if sequence.seq_num != credential.seq_num:
        raise DecodeError(0, "seq_num", Reason.BAD_CHECKSUM, f"{sequence.seq_num}")
    return body[start:]
