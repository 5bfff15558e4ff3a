"""A client of both versions, by hand: what it sends for what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.backward.requester import BackwardOptions
from rpcrdma.endpoint.backward.responder import (
    BackwardCallRules,
    BackwardReplyRules,
    BackwardResponder,
)
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Deliver,
    Failure,
    Invalidate,
    Register,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.dialect import NO_CHUNKS, ONE, Dialect
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.reductions import Reductions
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import KnownServer, Negotiation, NegotiationState
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrChunk, ErrorBody, ErrVers, RdmaError, TransportHeader, fixed_words, v2
from rpcrdma.wire._generated_rtrext import BufferStructure
from rpcrdma.wire.rpc import MessageType

LAYER = TestProgram()
FIRST, SECOND, THIRD = 0x101, 0x102, 0x103


def make(dialect: Dialect) -> tuple[Duplex, Requester]:
    thresholds = InlineThresholds(call=1024, reply=dialect.threshold)
    forward = Requester(RequesterOptions(thresholds, credits=4, dialect=dialect))
    rules = BackwardCallRules((dialect,)), BackwardReplyRules((dialect,))
    return ClientDuplex(forward, BackwardResponder(LAYER, BackwardOptions(), *rules)), forward


@dataclass
class Bench:
    """The role, and what it had done."""

    server: KnownServer = field(default_factory=KnownServer)

    def __post_init__(self) -> None:
        self.role = NegotiatingClient(make, Negotiation(self.server))
        self.payloads: dict[int, bytes] = {}
        self.put(events.Connected())

    def put(self, event: events.Event) -> list[Action]:
        """Handle an event; memory is registered and invalidated at once."""
        actions: list[Action] = []
        for action in self.role.handlers[type(event)](event, 0.0):
            actions.append(action)
            if isinstance(action, Register):
                actions += self.put(events.Registered(action.key, action.key, 0))
            elif isinstance(action, Invalidate):
                actions += self.put(events.Invalidated(action.key, bytes(action.fetch)))
        return actions

    def call(self, xid: int, octets: int = 8) -> list[Action]:
        self.payloads[xid] = calls.long_call(xid, bytes(octets))
        return self.put(events.CallRequested(xid, LAYER, self.payloads[xid]))

    def answer(self, dialect: Dialect, xid: int, credits: int = 4) -> list[Action]:  # noqa: A002
        header = TransportHeader(xid, dialect.number, credits, NO_CHUNKS)
        reply = calls.expected_reply(self.payloads[xid])
        return self.hear(dialect.encode(header, MessageType.REPLY) + reply)

    def error(self, xid: int, error: ErrorBody, version: int = 2) -> list[Action]:
        header = TransportHeader(xid, version, 4, RdmaError(error))
        return self.hear(ONE.encode(header, MessageType.REPLY))

    def hear(self, octets: bytes) -> list[Action]:
        return self.put(events.MessageReceived(octets))


def sent(actions: list[Action]) -> list[tuple[int, int]]:
    """Version and XID of each Send."""
    words = [fixed_words(action.data) for action in actions if isinstance(action, Send)]
    return [(one.version, one.xid) for one in words]


def told(actions: list[Action]) -> list[tuple[int, Failure | None]]:
    """Token of each call that ended, and why it failed."""
    ended = [action.event for action in actions if isinstance(action, Deliver)]
    return [(one.token, one.failure if isinstance(one, CallFailed) else None) for one in ended]


def test_the_receives_are_laid_out_for_the_version_that_is_offered() -> None:
    """Before it is known which one they are for."""
    role = Bench().role
    role.role.forward.options = replace(
        role.role.forward.options, reductions=Reductions(structure=BufferStructure(0, ()))
    )

    assert role.reductions.structure == BufferStructure(0, ())


def test_nothing_is_sent_beside_the_offer_until_it_is_answered() -> None:
    """v2 5: a single message at a time, until a message that is no error."""
    bench = Bench()

    assert sent(bench.call(FIRST)) == [(2, FIRST)]
    assert bench.call(SECOND) == bench.call(THIRD) == []
    actions = bench.answer(TWO, FIRST)

    assert told(actions) == [(FIRST, None)]
    assert sent(actions) == [(2, SECOND), (2, THIRD)]
    assert bench.role.negotiation.state is NegotiationState.TWO


@pytest.mark.parametrize("octets", [8, 1200])
def test_a_refused_offer_is_made_again_in_version_one(octets: int) -> None:
    """v2 5.2: on the same connection, under the same XID; the application does not notice."""
    bench = Bench()

    bench.call(FIRST, octets)
    bench.call(SECOND, octets)
    actions = bench.error(FIRST, ErrVers(1, 1))

    assert told(actions) == []
    assert sent(actions) == [(1, FIRST)]  # Version One, too, begins with one Call
    actions = bench.answer(ONE, FIRST)
    assert (told(actions), sent(actions)) == ([(FIRST, None)], [(1, SECOND)])


def test_the_memory_of_the_offer_is_safe_before_it_is_made_again() -> None:
    """rfc8166 4.4.1: what the refused Call exposed is gone."""
    bench = Bench()

    exposed = [one.key for one in bench.call(FIRST, 5000) if isinstance(one, Register)]
    actions = bench.error(FIRST, ErrVers(1, 1))

    kinds = [type(action) for action in actions]
    freed = [action.key for action in actions if isinstance(action, Invalidate)]
    assert set(freed) >= set(exposed) != set()
    assert kinds.index(Invalidate) < kinds.index(Send)


@pytest.mark.parametrize("versions", [ErrVers(3, 4), ErrVers(2, 1), ErrVers(2, 2)])
def test_calls_fail_where_no_version_is_left(versions: ErrVers) -> None:
    """D-64: all of them, once, and nothing is tried again."""
    bench = Bench()

    bench.call(FIRST)
    bench.call(SECOND)
    actions = bench.error(FIRST, versions)

    assert told(actions) == [(FIRST, Failure.REFUSED_VERSION), (SECOND, Failure.REFUSED_VERSION)]
    assert sent(actions) == []
    assert told(bench.call(THIRD)) == [(THIRD, Failure.REFUSED_VERSION)]


def test_another_error_settles_the_version_and_not_the_credits() -> None:
    """D-62: BAD_HEADER proves Version Two; one Call at a time is still the limit."""
    bench = Bench()

    bench.call(FIRST)
    bench.call(SECOND)
    bench.call(THIRD)
    actions = bench.error(FIRST, ErrChunk())

    assert told(actions) == [(FIRST, Failure.REFUSED_CHUNKS)]
    assert sent(actions) == [(2, SECOND)]


def test_calls_may_be_longer_once_version_two_is_settled() -> None:
    """v2 5, 5.1: 1024 octets first, 4096 afterwards."""
    bench = Bench()

    long_offer = [one for one in bench.call(FIRST, 1500) if isinstance(one, Send)]
    bench.answer(TWO, FIRST)
    second = [one for one in bench.call(SECOND, 1500) if isinstance(one, Send)]

    assert len(long_offer[0].data) <= 1024
    assert 1500 < len(second[0].data) <= 4096


@pytest.mark.parametrize("refused", [False, True])
def test_a_lost_offer_is_not_made_again(refused: bool) -> None:
    """v2 5.2: lost, or refused and then the connection lost: the next one is Version One's."""
    bench = Bench()
    bench.call(FIRST)
    bench.call(SECOND)
    if refused:
        bench.error(FIRST, ErrVers(1, 1))
    lost = told(bench.put(events.Disconnected("gone")))

    assert sorted(lost) == [(FIRST, Failure.CONNECTION_LOST), (SECOND, Failure.CONNECTION_LOST)]
    assert sent(Bench(bench.server).call(FIRST)) == [(1, FIRST)]


def test_a_held_call_can_be_cancelled() -> None:
    bench = Bench()
    bench.call(FIRST)
    bench.call(SECOND)

    assert told(bench.put(events.CallCancelled(SECOND))) == [(SECOND, Failure.CANCELLED)]
    assert sent(bench.answer(TWO, FIRST)) == []


def test_an_offer_that_was_given_up_still_settles_the_version() -> None:
    """The application waits no longer; the refusal counts all the same."""
    bench = Bench()
    bench.call(FIRST)
    bench.call(SECOND)

    assert told(bench.put(events.CallCancelled(FIRST))) == [(FIRST, Failure.CANCELLED)]
    assert sent(bench.error(FIRST, ErrVers(1, 1))) == [(1, SECOND)]


def test_an_offer_that_cannot_be_sent_is_none() -> None:
    """The next Call is the offer."""
    bench = Bench()
    nonsense = events.CallRequested(FIRST, LAYER, b"no call")

    assert told(bench.put(nonsense)) == [(FIRST, Failure.CANNOT_SEND)]
    assert sent(bench.call(SECOND)) == [(2, SECOND)]


def test_a_message_that_says_nothing_about_versions_changes_nothing() -> None:
    bench = Bench()
    bench.call(FIRST)

    for octets in (b"", b"runt", bytes(40), ONE.encode(TransportHeader(9, 1, 1, NO_CHUNKS), 1)):
        assert sent(bench.hear(octets)) == []
    assert bench.role.negotiation.state is NegotiationState.OFFERING
    received = [one.event for one in bench.answer(TWO, FIRST) if isinstance(one, Deliver)]
    assert isinstance(received[0], ReplyReceived)


def test_an_optional_message_of_the_server_settles_version_two() -> None:
    """v2 5.1: any message in Version Two that is no error."""
    bench = Bench()
    bench.call(FIRST)
    body = v2.Rdma2Optional(MessageType.CALL, 77, b"")

    bench.hear(v2.encode_header(v2.Rdma2Header(1, 2, 4, body)))

    assert bench.role.negotiation.state is NegotiationState.TWO


@pytest.mark.parametrize("error", [ErrVers(1, 1), ErrVers(3, 5), ErrChunk()])
def test_an_error_under_another_xid_says_nothing_about_the_offer(error: ErrorBody) -> None:
    bench = Bench()
    bench.call(FIRST)
    bench.call(SECOND)

    assert sent(bench.error(THIRD, error)) == []

    assert bench.role.negotiation.state is NegotiationState.OFFERING
    assert sent(bench.answer(TWO, FIRST)) == [(2, SECOND)]
