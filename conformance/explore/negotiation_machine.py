"""The stateful machine for versions: whatever a server answers, no client loses its way.

    v2 section 5    Protocol Version Negotiation
    v2 section 5.2  Responder Does Not Support RPC-over-RDMA Version Two

A client that may speak both versions is told to act, and faces a server that answers as it likes:
well, by errors, by any range of versions, under other XIDs, in another version, or not at all;
connections end in between.

Invariants: no message is sent in a version that was refused or given up, nor beside the first one
before that has been answered, nor longer than is agreed (each is judged by the oracle on its
arrival); no step brings more messages than there is work; and once the server answers as it should,
everything that the client was told to do comes to an end.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from conformance.oracle.header import VERSION_ONE, VERSION_TWO
from conformance.tester.case import CaseLog
from conformance.tester.server import Service, Welcome
from conformance.tester.server.options import encode_two
from rpcrdma.fabric.base import Address
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrChunk, ErrVers, v2
from rpcrdma.wire.optional import UnknownOption
from targets.base import Act, ActKind
from targets.profile import SHIPPED, load_profile
from targets.reference.client import InProcessClientSession
from targets.reference.client_parts import CLIENT, ClientParts

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall
    from targets.base import RunningAct

__all__ = ["CallEnding", "NegotiationMachine"]

MOST_ACTS: Final = 6
"""At once."""

MOST_MESSAGES: Final = 40
"""Of the client, for each step: more than all acts together need."""

MOMENT: Final = 0.05
"""Seconds in which the client does what it can do by itself."""

_KINDS: Final = (
    ActKind.SMALL,
    ActKind.MANY,
    ActKind.READ,
    ActKind.WRITE,
    ActKind.LONG_CALL,
    ActKind.LONG_REPLY,
)
_RANGES: Final = st.sampled_from(
    ((1, 1), (0, 1), (1, 7), (1, 2), (2, 7), (0, 2**32 - 1), (3, 5), (5, 1), (0, 0))
)
_ELSEWHERE: Final = 0x55AA0000
"""Bits by which the XID of a stray message differs from that of a call."""


class CallEnding(Enum):
    """What comes of a call."""

    RIGHT = "its reply"
    BAD_HEADER = "an error"
    RANGE = "ERR_VERS"
    STRAY_RANGE = "ERR_VERS under an XID that nobody has"
    CUT_RANGE = "half an ERR_VERS"
    INVALID_OPTION = "an error about an optional message"
    OTHER_VERSION = "a reply in the layout of the other version"
    OPTION = "an unknown operation, and no reply yet"


_ANSWERS: Final = st.sampled_from(
    (*CallEnding, CallEnding.RANGE, CallEnding.RANGE, CallEnding.RIGHT)
)
"""Those that lead anywhere more often than the others."""


class NegotiationMachine(RuleBasedStateMachine):
    """One client, on one connection after the other; a subclass may say which, by `parts`."""

    parts: ClassVar[ClientParts] = CLIENT

    def __init__(self) -> None:
        super().__init__()
        profile = load_profile(SHIPPED / "reference-client.toml")
        self._session = InProcessClientSession(
            Address("tester", 0), type(self).parts, (VERSION_ONE, VERSION_TWO)
        )
        address = self._session.listen_address
        self.service = Service(self._session.fabric, address, TestProgram, profile)
        self.service.begin(CaseLog())
        self.service.welcome = Welcome(version_one_only=False)
        self._session.prepare(self.service.address)
        self._acts: list[RunningAct] = []
        self._steps = 1

    @rule(
        kind=st.sampled_from(_KINDS),
        length=st.sampled_from((900, 2000, 3000, 9000)),
        count=st.integers(1, 4),
    )
    def act(self, kind: ActKind, length: int, count: int) -> None:
        """Tell the client to do something."""
        self._acts = [running for running in self._acts if running.poll() is None]
        if len(self._acts) < MOST_ACTS:
            many = count if kind is ActKind.MANY else 1
            self._acts.append(self._session.begin(Act(kind, length, many)))
        self._go_on()

    @precondition(lambda self: self.open_calls)
    @rule(which=st.integers(0, 7), how=_ANSWERS, versions=_RANGES)
    def answer(self, which: int, how: CallEnding, versions: tuple[int, int]) -> None:
        """Answer a call in some way; the range counts where one is sent."""
        calls = self.open_calls
        self._answer(calls[which % len(calls)], how, ErrVers(*versions))
        self._go_on()

    @precondition(lambda self: self.service.connected)
    @rule()
    def drop(self) -> None:
        """Hang up."""
        self.service.drop()
        self._go_on()

    @invariant()
    def no_rule_is_broken(self) -> None:
        """The oracle has nothing against any message; nobody goes round in circles."""
        broken = [str(one) for one in self.service.violations if not one.warns]
        assert not broken, broken  # noqa: S101  # how rules fail
        assert self._session.alive() is None  # noqa: S101  # likewise
        count = len(self.service.received) + len(self.service.options.messages)
        assert count <= MOST_MESSAGES * self._steps, f"{count} messages"  # noqa: S101  # likewise

    def teardown(self) -> None:
        """Answer as one should: everything ends."""
        try:
            for running in self._acts:
                self.service.answer_all()
                self.service.serve_until(running)
            self.no_rule_is_broken()
        finally:
            self.service.close()
            self._session.close()

    # -- how

    @property
    def open_calls(self) -> tuple[ReceivedCall, ...]:
        """Calls on the newest connection, if it stands, that await their reply."""
        if not self.service.lines or not self.service.line.connected:
            return ()
        return self.service.in_flight()

    def _go_on(self) -> None:
        self._steps += 1
        self.service.waiting(MOMENT)

    def _answer(self, call: ReceivedCall, how: CallEnding, versions: ErrVers) -> None:
        service = self.service
        match how:
            case CallEnding.RIGHT:
                service.serve(call)
            case CallEnding.BAD_HEADER:
                service.error(call, ErrChunk())
            case CallEnding.RANGE:
                service.error(call, versions)
            case CallEnding.STRAY_RANGE:
                service.send(_error(call.xid ^ _ELSEWHERE, versions))
            case CallEnding.CUT_RANGE:
                service.send(_error(call.xid ^ _ELSEWHERE, versions)[:24])
            case CallEnding.INVALID_OPTION:
                service.send(_error(call.xid ^ _ELSEWHERE, v2.ErrInvalidOption()))
            case CallEnding.OTHER_VERSION:
                self._answer_in_another_version(call)
            case CallEnding.OPTION:
                service.options.send(UnknownOption(77, b""))

    def _answer_in_another_version(self, call: ReceivedCall) -> None:
        draft = self.service.draft(call)
        other = VERSION_ONE if call.version == VERSION_TWO else VERSION_TWO
        # The memory is not written: whoever takes the reply for good is found out by its content.
        self.service.send(draft.changed(version=other, layout=other).octets)


def _error(xid: int, error: v2.Rdma2ErrorBody) -> bytes:
    return encode_two(xid, v2.Rdma2Error(error), 32)
