"""Calls that a scenario may ask for, in the words of whichever Upper-Layer Protocol the device has.

A scenario says `workload.fetch(4096)` and gets a call whose reply has a DDP-eligible result of 4096
octets: FETCH of the test program, READ of NFSv4.0.  What a binding cannot express raises
`Unsupported`, which makes the case N/A with that reason.

A `Request` is a call that has no form yet (short, chunked, long) and no XID;
`conformance.tester.client.build` gives it both.

    rfc8166 section 6  Upper-Layer Binding Specifications
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.bindings import XDR_UNIT
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from rpcrdma.ulp.bindings import UpperLayer
    from targets.profile import Profile

__all__ = ["NullWorkload", "Prepared", "Request", "TestprogWorkload", "Workload", "workload_for"]


@dataclass(frozen=True, slots=True)
class Request:
    """A call to be made.

    Attributes:
        title: for people, `FETCH of 4096 octets`.
        encode: XID -> complete, unreduced call payload.
        check: call and unreduced reply payload -> what is wrong with the results, or nothing.
        layer: the Upper-Layer Binding.
    """

    title: str
    encode: Callable[[int], bytes]
    check: Callable[[bytes, bytes], str]
    layer: UpperLayer


class Workload(Protocol):
    """What scenarios ask for.  Every method may raise `Unsupported`, but `null`."""

    def null(self) -> Request:
        """Neither arguments nor results: a short call and a short reply."""
        ...

    def small(self) -> Request:
        """Some arguments and results, all short, none DDP-eligible."""
        ...

    def fetch(self, length: int) -> Request:
        """One DDP-eligible result of `length` octets."""
        ...

    def fetch_two(self, first: int, second: int) -> Request:
        """Two DDP-eligible results."""
        ...

    def fetch_nothing(self) -> Request:
        """A result that could be DDP-eligible, but is of a union's other arm: no data comes."""
        ...

    def fetch_second_only(self, length: int) -> Request:
        """Two possible DDP-eligible results of which only the second has data."""
        ...

    def store(self, data: bytes) -> Request:
        """One DDP-eligible argument."""
        ...

    def stored(self, data: bytes) -> Request | None:
        """What fetches the data of the latest `store`; None if its own reply shows them."""
        ...

    def refusal(self, reply: bytes) -> str:
        """The error by which a program says, in a good RPC reply, that it could not decode.

        Args:
            reply: unreduced.

        Returns:
            A few words; empty if the reply says nothing of the kind.
        """
        ...

    def store_two(self, first: bytes, second: bytes) -> Request:
        """Two DDP-eligible arguments with something between them."""
        ...

    def long_call(self, length: int) -> Request:
        """An argument of `length` octets that is not DDP-eligible."""
        ...

    def long_reply(self, length: int) -> Request:
        """Results of at least `length` octets of which nothing is DDP-eligible."""
        ...

    def long_store(self, length: int, data: bytes) -> Request:
        """An argument of `length` octets that is not DDP-eligible, and one that is."""
        ...

    def long_fetch(self, length: int, data: int) -> Request:
        """A result of `length` octets that is not DDP-eligible, and one of `data` that is."""
        ...

    def garbage(self) -> Request:
        """Arguments that the program cannot decode: the reply is GARBAGE_ARGS."""
        ...

    def hold(self, token: int) -> Request:
        """A call that is answered only when a `release` with the same token comes."""
        ...

    def release(self, token: int) -> Request:
        """Answered at once; the held calls behind it."""
        ...


@runtime_checkable
class Prepared(Protocol):
    """A workload whose calls need something that only the device can give, or a ready device."""

    def prepare(self, peer: Peer) -> None:
        """Get it, or wait until the device is ready, whenever the device has just been started.

        Args:
            peer: a connection on which a good call has just been answered.

        Raises:
            Inconclusive: the device does not give it.
        """
        ...


def workload_for(profile: Profile) -> Workload:
    """The workload of a profile's binding."""
    match profile.binding:
        case Binding.TESTPROG:
            return TestprogWorkload()
        case Binding.NFS4:
            # Imported here because nobody else needs the generated NFSv4 codec.
            from conformance.tester.client.workload.nfs4 import Nfs4Workload

            return Nfs4Workload(profile)
        case Binding.NFS3:
            from conformance.tester.client.workload.nfs3 import Nfs3Workload  # likewise

            return Nfs3Workload(profile)
        case Binding.NULL_ONLY:
            return NullWorkload(profile)


class TestprogWorkload:
    """The suite's own program: the right reply to any call is known to the octet."""

    __test__ = False  # pytest collects classes called Test...; this is none

    def __init__(self) -> None:
        self._layer = TestProgram()

    def null(self) -> Request:
        """NULL."""
        return self._request("NULL", testprog_calls.null)

    def small(self) -> Request:
        """ECHO of 12 octets."""
        return self._request("ECHO", lambda xid: testprog_calls.echo(xid, b"conformance!"))

    def fetch(self, length: int) -> Request:
        """FETCH."""
        return self._request(
            f"FETCH of {length} octets", lambda xid: testprog_calls.fetch(xid, length, 1)
        )

    def fetch_two(self, first: int, second: int) -> Request:
        """FETCH_TWO."""
        return self._request(
            f"FETCH_TWO of {first} and {second} octets",
            lambda xid: testprog_calls.fetch_two(xid, first, second, b"between"),
        )

    def fetch_nothing(self) -> Request:
        """FETCH_UNION of which both arms have no data."""
        return self._request(
            "FETCH_UNION without data", lambda xid: testprog_calls.fetch_union(xid, None, None)
        )

    def fetch_second_only(self, length: int) -> Request:
        """FETCH_UNION of which the first arm has no data."""
        return self._request(
            f"FETCH_UNION of nothing and {length} octets",
            lambda xid: testprog_calls.fetch_union(xid, None, length),
        )

    def store(self, data: bytes) -> Request:
        """STORE."""
        return self._request(
            f"STORE of {len(data)} octets", lambda xid: testprog_calls.store(xid, data)
        )

    def stored(self, data: bytes) -> Request | None:
        """The reply to STORE has a digest of the data."""
        return None

    def refusal(self, reply: bytes) -> str:
        """There is no such error: GARBAGE_ARGS says it."""
        return ""

    def store_two(self, first: bytes, second: bytes) -> Request:
        """STORE_TWO."""
        return self._request(
            f"STORE_TWO of {len(first)} and {len(second)} octets",
            lambda xid: testprog_calls.store_two(xid, first, b"between", second),
        )

    def long_call(self, length: int) -> Request:
        """LONG_CALL."""
        text = pattern(length, 3)
        return self._request(
            f"LONG_CALL of {length} octets", lambda xid: testprog_calls.long_call(xid, text)
        )

    def long_reply(self, length: int) -> Request:
        """LONG_REPLY."""
        return self._request(
            f"LONG_REPLY of {length} octets", lambda xid: testprog_calls.long_reply(xid, length, 4)
        )

    def long_store(self, length: int, data: bytes) -> Request:
        """LONG_STORE."""
        text = pattern(length, 5)
        return self._request(
            f"LONG_STORE of {length} and {len(data)} octets",
            lambda xid: testprog_calls.long_store(xid, text, data),
        )

    def long_fetch(self, length: int, data: int) -> Request:
        """LONG_FETCH."""
        return self._request(
            f"LONG_FETCH of {length} and {data} octets",
            lambda xid: testprog_calls.long_fetch(xid, length, data),
        )

    def garbage(self) -> Request:
        """ECHO without its arguments."""
        whole = testprog_calls.echo
        return self._request("ECHO without arguments", lambda xid: whole(xid, b"")[:-XDR_UNIT])

    def hold(self, token: int) -> Request:
        """HOLD."""
        return self._request("HOLD", lambda xid: testprog_calls.hold(xid, token))

    def release(self, token: int) -> Request:
        """RELEASE: how many it released is not compared, since only the device knows."""
        return Request(
            "RELEASE",
            lambda xid: testprog_calls.release(xid, token),
            lambda _call, _reply: "",
            self._layer,
        )

    def _request(self, title: str, encode: Callable[[int], bytes]) -> Request:
        return Request(title, encode, _as_expected, self._layer)


class NullWorkload:
    """Nothing but NULL, of whichever program the profile names."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._layer: UpperLayer = (
            TestProgram()
        )  # a binding under which other programs' calls have no items

    def null(self) -> Request:
        """NULL."""
        extra = self._profile.extra
        return Request(
            "NULL",
            lambda xid: rpc.encode_call(xid, extra.program, extra.program_version, 0),
            lambda _call, _reply: "",
            self._layer,
        )

    def small(self) -> Request:
        """NULL will do: it is short and has nothing DDP-eligible."""
        return self.null()

    def fetch(self, length: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a result of {length} octets")

    def fetch_two(self, first: int, second: int) -> Request:
        """Not there."""
        raise self._unsupported(f"results of {first} and {second} octets")

    def fetch_nothing(self) -> Request:
        """Not there."""
        raise self._unsupported("a union with a DDP-eligible arm")

    def fetch_second_only(self, length: int) -> Request:
        """Not there."""
        raise self._unsupported(f"two unions, one of {length} octets")

    def store(self, data: bytes) -> Request:
        """Not there."""
        raise self._unsupported(f"an argument of {len(data)} octets")

    def stored(self, data: bytes) -> Request | None:
        """Not there."""
        raise self._unsupported(f"{len(data)} octets that were stored")

    def refusal(self, reply: bytes) -> str:
        """NULL has no results."""
        return ""

    def store_two(self, first: bytes, second: bytes) -> Request:
        """Not there."""
        raise self._unsupported(f"arguments of {len(first)} and {len(second)} octets")

    def long_call(self, length: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a call of {length} octets")

    def long_reply(self, length: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a reply of {length} octets")

    def long_store(self, length: int, data: bytes) -> Request:
        """Not there."""
        raise self._unsupported(f"a call of {length + len(data)} octets")

    def long_fetch(self, length: int, data: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a reply of {length + data} octets")

    def garbage(self) -> Request:
        """Not there."""
        raise self._unsupported("arguments, good or bad")

    def hold(self, token: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a call held under token {token}")

    def release(self, token: int) -> Request:
        """Not there."""
        raise self._unsupported(f"a call that releases token {token}")

    def _unsupported(self, what: str) -> Unsupported:
        binding = self._profile.binding.value
        return Unsupported(f"the binding `{binding}` has no call for {what}")


def _as_expected(call: bytes, reply: bytes) -> str:
    expected = testprog_calls.expected_reply(call)
    if reply == expected:
        return ""
    if len(reply) != len(expected):
        return f"the unreduced reply has {len(reply)} octets instead of {len(expected)}"
    place = next(i for i, octet in enumerate(reply) if octet != expected[i])
    return (
        f"octet {place} of the unreduced reply is {reply[place]:#04x}, not {expected[place]:#04x}"
    )
