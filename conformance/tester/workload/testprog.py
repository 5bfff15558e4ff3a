"""The workload of the suite's own program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.sent import Request
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.bindings import XDR_UNIT
from rpcrdma.ulp.file_tree import LINK
from rpcrdma.ulp.gss_mechanism import MockInitiator
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_testprog as wire
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.workload.base import Workload

__all__ = ["TestprogWorkload", "own_program"]

_TOKEN: Final = b"the tester"
_SHORT: Final = b"behind"

_REFUSALS: Final = tuple(
    status.to_bytes(XDR_UNIT) for status in wire.TestStatus if status is not wire.TestStatus.TEST_OK
)


class TestprogWorkload:
    """The suite's own program: the right reply to any call is known to the octet."""

    __test__ = False  # pytest collects classes called Test...; this is none

    def __init__(self) -> None:
        self._layer = TestProgram()

    def null(self) -> Request:
        """NULL."""
        return self.request("NULL", testprog_calls.null)

    def small(self) -> Request:
        """ECHO of 12 octets."""
        return self.request("ECHO", lambda xid: testprog_calls.echo(xid, b"conformance!"))

    def fetch(self, length: int) -> Request:
        """FETCH."""
        return self.request(
            f"FETCH of {length} octets", lambda xid: testprog_calls.fetch(xid, length, 1)
        )

    def fetch_aside(self, length: int, page: int) -> Request:  # as others have
        """FETCH: its data are made anew for each call."""
        return self.fetch(length)

    def fetch_two(self, first: int, second: int) -> Request:
        """FETCH_TWO."""
        return self.request(
            f"FETCH_TWO of {first} and {second} octets",
            lambda xid: testprog_calls.fetch_two(xid, first, second, b"between"),
        )

    def read_link(self) -> Request:
        """FETCH: the program has no links."""
        return self.fetch(len(LINK.target))

    def fetch_nothing(self) -> Request:
        """FETCH_UNION of which both arms have no data."""
        return self.request(
            "FETCH_UNION without data", lambda xid: testprog_calls.fetch_union(xid, None, None)
        )

    def fetch_second_only(self, length: int) -> Request:
        """FETCH_UNION of which the first arm has no data."""
        return self.request(
            f"FETCH_UNION of nothing and {length} octets",
            lambda xid: testprog_calls.fetch_union(xid, None, length),
        )

    def store(self, data: bytes) -> Request:
        """STORE."""
        return self.request(
            f"STORE of {len(data)} octets", lambda xid: testprog_calls.store(xid, data)
        )

    def stored(self, data: bytes, start: int = 0) -> Request | None:
        """The reply to STORE has a digest of the data."""
        return None

    def refusal(self, reply: bytes) -> str:
        """There is no such error: GARBAGE_ARGS says it."""
        return ""

    def store_two(self, first: bytes, second: bytes) -> Request:
        """STORE_TWO."""
        return self.request(
            f"STORE_TWO of {len(first)} and {len(second)} octets",
            lambda xid: testprog_calls.store_two(xid, first, b"between", second),
        )

    def store_two_and_more(self, first: bytes, second: bytes) -> Request:
        """STORE_ARRAY, whose third item is short."""
        return self.request(
            f"STORE_ARRAY of {len(first)}, {len(second)} and {len(_SHORT)} octets",
            lambda xid: testprog_calls.store_array(xid, (first, second, _SHORT)),
        )

    def long_call(self, length: int) -> Request:
        """LONG_CALL."""
        text = pattern(length, 3)
        return self.request(
            f"LONG_CALL of {length} octets", lambda xid: testprog_calls.long_call(xid, text)
        )

    def long_reply(self, length: int) -> Request:
        """LONG_REPLY."""
        return self.request(
            f"LONG_REPLY of {length} octets", lambda xid: testprog_calls.long_reply(xid, length, 4)
        )

    def long_store(self, length: int, data: bytes) -> Request:
        """LONG_STORE."""
        text = pattern(length, 5)
        return self.request(
            f"LONG_STORE of {length} and {len(data)} octets",
            lambda xid: testprog_calls.long_store(xid, text, data),
        )

    def long_fetch(self, length: int, data: int) -> Request:
        """LONG_FETCH."""
        return self.request(
            f"LONG_FETCH of {length} and {data} octets",
            lambda xid: testprog_calls.long_fetch(xid, length, data),
        )

    def garbage(self) -> Request:
        """ECHO without its arguments."""
        whole = testprog_calls.echo
        return self.request("ECHO without arguments", lambda xid: whole(xid, b"")[:-XDR_UNIT])

    def hold(self, token: int) -> Request:
        """HOLD."""
        return self.request("HOLD", lambda xid: testprog_calls.hold(xid, token))

    def release(self, token: int) -> Request:
        """RELEASE: how many it released is not compared, since only the device knows."""
        return Request(
            "RELEASE",
            lambda xid: testprog_calls.release(xid, token),
            lambda _call, _reply: "",
            self._layer,
        )

    def initiator(self) -> MockInitiator:
        """By a mechanism that protects nobody."""
        return MockInitiator(_TOKEN)

    def ask_for_context(self, token: bytes) -> Request:
        """RPCSEC_GSS_INIT."""
        return self.request("RPCSEC_GSS_INIT", lambda xid: testprog_calls.gss_init(xid, token))

    def exchange(self, length: int) -> Request:
        """EXCHANGE."""
        data = pattern(length, 8)
        return self.request(
            f"EXCHANGE of {length} octets", lambda xid: testprog_calls.exchange(xid, data)
        )

    def request(self, title: str, encode: Callable[[int], bytes]) -> Request:
        """Any call of the program, of which the right reply is known."""
        return Request(title, encode, _as_expected, self._layer, _refuses)


def own_program(workload: Workload, otherwise: str) -> TestprogWorkload:
    """The workload, if it is that of the suite's own program.

    Args:
        workload: of any binding.
        otherwise: why a case that needs it does without another.

    Raises:
        Unsupported: it is another.
    """
    if not isinstance(workload, TestprogWorkload):
        raise Unsupported(otherwise)
    return workload


def _refuses(reply: bytes) -> bool:
    """Whether the results are a status alone that says that nothing was done."""
    try:
        _, start = rpc.decode_reply(reply)
    except DecodeError:
        return False
    return reply[start:] in _REFUSALS


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
