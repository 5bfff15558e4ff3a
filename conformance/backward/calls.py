"""Good Calls that a server makes to its client, in the words of their Upper-Layer Protocol.

    calls = backward_calls_for(service)
    calls.null(xid)                   a complete RPC Call
    calls.problem(call, reply)        what is wrong with the Reply that it got

    bidir section 2.2.3      the Upper-Layer Protocol says that the client is prepared
    RFC 5661 section 20      NFSv4.1 Callback Operations; 20.2 CB_RECALL
    RFC 5661 section 18.36   CREATE_SESSION, which makes a connection the backchannel of a session
    RFC 5661 section 18.34   BIND_CONN_TO_SESSION, which makes another connection of it

A client of the test program takes the same calls as a server of it.  To one of NFSv4.1 go CB_NULL
and CB_COMPOUNDs of CB_SEQUENCE alone, which change nothing, or with CB_RECALL of a delegation that
the client holds, over connections that it has bound to its session; how large a Reply is, up to 512
octets, is chosen by the tag that comes back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from conformance.oracle.sizes import HEADER_ONE
from conformance.tester.case import Inconclusive
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import nfs4_callback, rpc, testprog_calls
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.wire import _generated_nfs4 as wire
from targets.base import Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.tester.server import Service
    from rpcrdma.ulp.nfs4_callback import Nfs4Backchannel
    from rpcrdma.ulp.nfs4_state import Delegation
    from rpcrdma.wire._generated_nfs4 import CallbackArgument

__all__ = ["BackwardCalls", "Nfs4Calls", "TestprogCalls", "backward_calls_for"]

_NO_PROCEDURE: Final = 99
"""Of the callback program, which has two."""


class BackwardCalls(Protocol):
    """What a server asks of a client.  All but `null` may raise `Unsupported`."""

    def null(self, xid: int) -> bytes:
        """Neither arguments nor results."""
        ...

    def note(self, xid: int, length: int) -> bytes:
        """Arguments and results of `length` octets and a few more."""
        ...

    def long_reply(self, xid: int, length: int) -> bytes:
        """Results whose message, transport header and all, has `length` octets."""
        ...

    def long_call(self, xid: int, length: int) -> bytes:
        """Arguments so long that the whole Payload stream has `length` octets."""
        ...

    def refused(self, xid: int) -> bytes:
        """A Call that the RPC layer must answer by an error."""
        ...

    def recall(self, xid: int) -> bytes:
        """Something that the client must give back by a Call of its own, if it holds anything."""
        ...

    def outstanding(self) -> bool:
        """Whether something has been recalled and not been given back."""
        ...

    def put_off(self, call: bytes, reply: bytes) -> Callable[[int], bytes] | None:
        """What makes a Call again, by XID, if its Reply asks for that; else None."""
        ...

    def problem(self, call: bytes, reply: bytes) -> str:
        """What is wrong with the Reply to one of these Calls; empty if it is right."""
        ...


def backward_calls_for(service: Service) -> BackwardCalls:
    """What the service's client can be asked.

    Raises:
        Unsupported: the tester has no backward Calls for the binding.
    """
    match service.profile.binding:
        case Binding.TESTPROG:
            return TestprogCalls()
        case Binding.NFS4:
            return Nfs4Calls(service)
        case other:
            raise Unsupported(f"the binding `{other.value}` has no backward Calls of the tester's")


class TestprogCalls:
    """The test program: the right Reply to any Call is known to the octet."""

    __test__ = False  # pytest collects classes called Test...; this is none

    def null(self, xid: int) -> bytes:
        """NULL."""
        return testprog_calls.null(xid)

    def note(self, xid: int, length: int) -> bytes:
        """ECHO."""
        return testprog_calls.echo(xid, bytes(length))

    def long_reply(self, xid: int, length: int) -> bytes:
        """LONG_REPLY."""
        return testprog_calls.long_reply(xid, length - _AROUND)

    def long_call(self, xid: int, length: int) -> bytes:
        """LONG_CALL."""
        around = len(testprog_calls.long_call(xid, b""))
        return testprog_calls.long_call(xid, bytes(length - around))

    def refused(self, xid: int) -> bytes:
        """ECHO without all of its arguments."""
        return testprog_calls.echo(xid, b"")[:-4]

    def recall(self, xid: int) -> bytes:
        """ECHO: clients of this program hold nothing."""
        return testprog_calls.echo(xid, b"a note")

    def outstanding(self) -> bool:
        """Never."""
        return False

    def put_off(self, call: bytes, reply: bytes) -> None:
        """Never: the program has no such answer."""

    def problem(self, call: bytes, reply: bytes) -> str:
        """Any difference."""
        expected = testprog_calls.expected_reply(call)
        if reply == expected:
            return ""
        return f"not the {len(expected)} octets that the program's XDR describes"


_AROUND: Final = HEADER_ONE + rpc.REPLY_HEADER_LENGTH + 8
"""Octets of a LONG_REPLY's answer beside its text: both headers, status and count."""


class Nfs4Calls:
    """The callback program of NFSv4.1, on the backchannel of whichever session the client has."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._recalled: Delegation | None = None

    def null(self, xid: int) -> bytes:
        """CB_NULL."""
        return self._channel().null(xid)

    def note(self, xid: int, length: int) -> bytes:
        """CB_SEQUENCE under a tag, which comes back."""
        return self._compound(xid, tag=bytes(length))

    def recall(self, xid: int) -> bytes:
        """CB_SEQUENCE and CB_RECALL of a delegation that the client holds."""
        channel = self._channel()
        state = self._program().state
        owner = state.sessions[channel.session].client
        held = [one for one in state.delegations.values() if one.client is owner]
        found = next((one for one in held if not one.recalled), None)
        if found is None:
            raise Inconclusive("the client holds no delegation that could be recalled")
        found.recalled = True
        self._recalled = found
        return self._compound(xid, [nfs4_callback.recall(found.stateid, found.node.handle)])

    def outstanding(self) -> bool:
        """Whether the delegation has not been returned."""
        return self._recalled in self._program().state.delegations.values()

    def long_reply(self, xid: int, length: int) -> bytes:
        """Not there: a tag has no more than 512 octets."""
        raise Unsupported(f"no callback ({xid:#x}) has a Reply of {length} octets")

    def long_call(self, xid: int, length: int) -> bytes:
        """Not there: a tag has no more than 512 octets."""
        raise Unsupported(f"no callback ({xid:#x}) has {length} octets")

    def refused(self, xid: int) -> bytes:
        """A procedure that the callback program does not have."""
        channel = self._channel()
        version = nfs4_callback.CALLBACK_VERSION
        credential = channel.credential
        return rpc.encode_call(xid, channel.program, version, _NO_PROCEDURE, credential=credential)

    def put_off(self, call: bytes, reply: bytes) -> Callable[[int], bytes] | None:
        """The same operations again, after CB_SEQUENCE and NFS4ERR_DELAY.

        A kernel's client answers so until it has dealt with the reply to BIND_CONN_TO_SESSION.
        """
        try:
            _, start = rpc.decode_call(call)
            asked, _ = wire.decode_callback_compound_arguments(call, start)
            if not nfs4_callback.put_off(nfs4_callback.parse(reply)):
                return None
        except DecodeError:
            return None  # it is none of these Calls, or `problem` will tell
        self._channel().take(reply)
        return partial(self._compound, operations=asked.argarray[1:], tag=asked.tag)

    def problem(self, call: bytes, reply: bytes) -> str:
        """By the results of each."""
        try:
            procedure = rpc.decode_call(call)[0].procedure
            outcome = rpc.decode_reply(reply)[0].outcome
            if procedure == _NO_PROCEDURE:
                right = outcome is rpc.RpcOutcome.PROC_UNAVAIL
                return "" if right else f"{outcome.value} for a procedure that there is not"
            if procedure == wire.NFS_CB.CB_COMPOUND:
                return self._compound_problem(call, reply)
        except DecodeError as error:
            return f"it cannot be decoded: {error}"
        return "" if outcome is rpc.RpcOutcome.SUCCESS else f"{outcome.value} for CB_NULL"

    def _compound_problem(self, call: bytes, reply: bytes) -> str:
        _, start = rpc.decode_call(call)
        asked, _ = wire.decode_callback_compound_arguments(call, start)
        result = self._channel().take(reply)
        if result.status is not wire.Status.NFS4_OK or len(result.resarray) != len(asked.argarray):
            return f"the CB_COMPOUND ended with {result.status.name}"
        return "" if result.tag == asked.tag else "the tag is not that of the Call"

    def _compound(
        self, xid: int, operations: Sequence[CallbackArgument] = (), tag: bytes = b""
    ) -> bytes:
        try:
            return self._channel().call(xid, *operations, tag=tag)
        except LocalProtocolError as error:
            raise Inconclusive(f"no further callback can be made: {error}") from error

    def _channel(self) -> Nfs4Backchannel:
        """The newest connection's, once it has become one; the client is served meanwhile."""
        service = self._service
        service.serve_while(lambda: self._found() is None, service.profile.connect_deadline)
        found = self._found()
        if found is None:
            raise Inconclusive("the client does not make its connection a backchannel")
        return found

    def _found(self) -> Nfs4Backchannel | None:
        return self._program().backchannel

    def _program(self) -> Nfs4Program:
        """What is behind the newest connection."""
        service = self._service
        program = service.replies.program_of(service.line)
        if not isinstance(program, Nfs4Program):
            raise Unsupported("only a client of NFSv4.1 takes these Calls")
        return program
