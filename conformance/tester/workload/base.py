"""Calls that a scenario may ask for, in the words of whichever Upper-Layer Protocol the device has.

A scenario says `workload.fetch(4096)` and gets a call whose reply has a DDP-eligible result of 4096
octets: FETCH of the test program, READ of NFSv4.0.  What a binding cannot express raises
`Unsupported`, which makes the case N/A with that reason.

A `Request` is a call that has no form yet (short, chunked, long) and no XID;
`conformance.tester.client.build` gives it both.

    rfc8166 section 6  Upper-Layer Binding Specifications
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from typing_extensions import override

from conformance.tester.sent import Request
from rpcrdma.ulp import rpc
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.ulp.gss_context import GssInitiator
    from targets.profile import Profile

__all__ = ["Caller", "NullWorkload", "Prepared", "UnderGss", "Watched", "Workload"]


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

    def fetch_aside(self, length: int, page: int) -> Request:
        """One DDP-eligible result of at most 4096 octets that no other call fetches.

        What becomes of it is held against no other case.

        Args:
            length: octets.
            page: of `conformance.tester.workload.pages`, which each case has of its own.
        """
        ...

    def fetch_two(self, first: int, second: int) -> Request:
        """Two DDP-eligible results."""
        ...

    def read_link(self) -> Request:
        """One DDP-eligible result of 1979 octets, of which the call does not tell the length.

        READLINK, where the binding has files: its maximum is larger than what comes.
        """
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

    def stored(self, data: bytes, start: int = 0) -> Request | None:
        """What fetches the data of the latest `store`; None if its own reply shows them.

        Args:
            data: all of them.
            start: the first octet of them that is fetched.
        """
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

    def store_two_and_more(self, first: bytes, second: bytes) -> Request:
        """Two DDP-eligible arguments, and something that stays in the stream after the second."""
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
        """Answered at once; the held calls after it."""
        ...


class Caller(Protocol):
    """Makes calls of a workload's own, on a connection that belongs to no case."""

    def reply_to(self, request: Request) -> bytes:
        """The payload of the reply to a Short call; empty if none came."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass; whatever comes meanwhile is dropped."""
        ...


@runtime_checkable
class Prepared(Protocol):
    """A workload whose calls need something that only the device can give, or a ready device."""

    def prepare(self, caller: Caller) -> None:
        """Get it, or wait until the device is ready, whenever the device has just been started.

        Args:
            caller: on a connection on which a good call has just been answered.

        Raises:
            Inconclusive: the device does not give it.
        """
        ...


@runtime_checkable
class Watched(Protocol):
    """A workload of files, some of which no case writes."""

    def untouched(self) -> Mapping[str, Request]:
        """What fetches these files, by place; each checks what they held at first."""
        ...


@runtime_checkable
class UnderGss(Protocol):
    """A workload whose calls can be made under RPCSEC_GSS, if there is what makes contexts."""

    def initiator(self) -> GssInitiator | None:
        """What makes contexts with the device that runs now; None if there is nothing to."""
        ...

    def ask_for_context(self, token: bytes) -> Request:
        """RPCSEC_GSS_INIT.

        Args:
            token: of the tester's.
        """
        ...

    def exchange(self, length: int) -> Request:
        """One DDP-eligible argument of `length` octets, and if the program can, such a result."""
        ...


class NullWorkload(Workload):
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

    @override
    def fetch(self, length: int) -> Request:
        raise self._unsupported(f"a result of {length} octets")

    @override
    def fetch_aside(self, length: int, page: int) -> Request:
        raise self._unsupported(f"a result of {length} octets")

    @override
    def fetch_two(self, first: int, second: int) -> Request:
        raise self._unsupported(f"results of {first} and {second} octets")

    @override
    def read_link(self) -> Request:
        raise self._unsupported("a symbolic link")

    @override
    def fetch_nothing(self) -> Request:
        raise self._unsupported("a union with a DDP-eligible arm")

    @override
    def fetch_second_only(self, length: int) -> Request:
        raise self._unsupported(f"two unions, one of {length} octets")

    @override
    def store(self, data: bytes) -> Request:
        raise self._unsupported(f"an argument of {len(data)} octets")

    @override
    def stored(self, data: bytes, start: int = 0) -> Request | None:
        raise self._unsupported(f"{len(data)} octets that were stored")

    def refusal(self, reply: bytes) -> str:
        """NULL has no results."""
        return ""

    @override
    def store_two(self, first: bytes, second: bytes) -> Request:
        raise self._unsupported(f"arguments of {len(first)} and {len(second)} octets")

    @override
    def store_two_and_more(self, first: bytes, second: bytes) -> Request:
        raise self._unsupported("something after two arguments that are stored")

    @override
    def long_call(self, length: int) -> Request:
        raise self._unsupported(f"a call of {length} octets")

    @override
    def long_reply(self, length: int) -> Request:
        raise self._unsupported(f"a reply of {length} octets")

    @override
    def long_store(self, length: int, data: bytes) -> Request:
        raise self._unsupported(f"a call of {length + len(data)} octets")

    @override
    def long_fetch(self, length: int, data: int) -> Request:
        raise self._unsupported(f"a reply of {length + data} octets")

    @override
    def garbage(self) -> Request:
        raise self._unsupported("arguments, good or bad")

    @override
    def hold(self, token: int) -> Request:
        raise self._unsupported(f"a call that is held until another releases it, by token {token}")

    @override
    def release(self, token: int) -> Request:
        raise self._unsupported(f"a call that releases what is held, by token {token}")

    def _unsupported(self, what: str) -> Unsupported:
        binding = self._profile.binding.value
        return Unsupported(f"the binding `{binding}` cannot make {what}")
