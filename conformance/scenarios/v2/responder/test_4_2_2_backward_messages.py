"""Backward Calls of a server in Version Two.

v2 section 4.2.2  Message Direction
v2 section 3.2    Message Direction (XIDs and credits belong to a direction)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, InvalidOption
from conformance.oracle.outcome import ErrChunk as BadHeader
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.client import build
from rpcrdma.wire import ErrChunk, ErrVers
from rpcrdma.wire.optional import UnknownOption

if TYPE_CHECKING:
    from conformance.oracle.outcome import Called
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody

TAKES: Final = "v2.4.2.2.server-takes-backward-replies"
ERRORS: Final = "v2.4.2.2.errors-count-as-replies"
WITHIN: Final = "v2.4.2.2.backward-calls-within-the-grant"
SEPARATE: Final = "v2.4.2.2.backward-credits-are-separate"
WAITS: Final = "v2.4.2.2.server-waits-for-the-upper-layer"
XIDS: Final = "v2.3.2.xids-belong-to-a-direction"
CREDITS: Final = "v2.3.2.credits-belong-to-a-direction"
GROW: Final = "v2.2.2.backward-messages-grow-too"
REFUSAL: Final = "whether an unknown operation is refused is for other cases to look at"
SMALL: Final = 128
"""Octets of a Reply that any server receives."""

WITH_MSG_TYPE: Final = 8
"""Octets of an RPC message that say whether it is a Call or a Reply."""

MORE_HEADER: Final = 4
"""Octets that a header of Version Two has more than one of Version One."""

FOLLOWS: Final[dict[str, ErrorBody]] = {"bad-header": ErrChunk(), "err-vers": ErrVers(2, 2)}


@requirement(
    "v2.4.2.2.backward-messages-are-version-two",
    "v2.4.2.2.backward-messages-without-chunks",
    TAKES,
    needs=("backward",),
    interpretations=("D-75", "D-131"),
)
@pytest.mark.parametrize("length", [0, 400, 3000])
def test_server_calls_in_version_two_without_chunks(peer_two: Peer, length: int) -> None:
    """Backward Calls to a client that says nothing of chunks have none, and Replies end them."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(3, length)

    for _ in range(3):
        client.answer(client.next_call(breaks=TAKES), credits=1)


@requirement("v2.2.3.no-send-beyond-4096-octets", needs=("backward",))
@pytest.mark.parametrize("beyond", [0, 4, 2000])
def test_server_makes_no_call_beyond_4096_octets(peer_two: Peer, beyond: int) -> None:
    """A backward Call of 4096 octets comes; a larger one does not, and the next one does."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(1, client.workload.longest(THRESHOLD_TWO - MORE_HEADER) + beyond)

    client.provoke(1)

    client.answer(client.next_call())


@requirement(WITHIN, needs=("backward",), interpretations=("D-42",))
@pytest.mark.parametrize("granted", [1, 2, 5])
def test_server_has_no_more_calls_in_flight_than_granted(peer_two: Peer, granted: int) -> None:
    """Before the first backward Reply one Call comes, after a grant of n at most n."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(granted + 3)
    first = client.next_call()
    client.no_call("nothing has been granted yet", breaks=WITHIN)

    client.answer(first, credits=granted)

    client.next_call(breaks=TAKES)
    for _ in range(3):
        client.serve(peer_two.workload.small())  # whatever comes meanwhile is counted


@requirement(SEPARATE, needs=("backward",), means={WITHIN: SEPARATE})
def test_server_takes_no_forward_request_for_a_backward_grant(peer_two: Peer) -> None:
    """Forward Calls, which request several credits, let no second backward Call out."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(4)
    client.next_call()

    for _ in range(3):
        client.serve(peer_two.workload.small())

    client.no_call("no backward Reply has granted anything", breaks=SEPARATE)


@requirement(WAITS, needs=("backward",), interpretations=("D-46",))
def test_server_waits_for_the_upper_layer(peer_two: Peer) -> None:
    """Calls for a client that has said nothing wait; once it has, they come."""
    client = BackwardClient.of(peer_two)
    client.provoke(2)
    client.no_call("this client has announced nothing", breaks=WAITS)

    client.announce()

    client.next_call()


@requirement(ERRORS, needs=("backward",))
@pytest.mark.parametrize("error", FOLLOWS)
def test_server_takes_an_error_for_the_answer_to_its_call(peer_two: Peer, error: str) -> None:
    """An RDMA2_ERROR under the XID of a backward Call ends it, so that the next one comes."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    peer_two.send(build.error(peer_two, FOLLOWS[error], xid=called.xid, credits=1))

    client.in_flight.pop(called.xid)
    client.answer(client.next_call(breaks=ERRORS))


@requirement(XIDS, needs=("backward",), wider=REFUSAL)
def test_server_matches_its_calls_with_replies_alone(peer_two: Peer) -> None:
    """Forward Calls and operations under the XID of a backward Call do not end it."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(2)
    called = client.next_call()

    client.serve(peer_two.workload.small(), xid=called.xid)
    operation = build.option(peer_two, UnknownOption(77, b""), xid=called.xid)
    client.send(operation.octets, InvalidOption, breaks=XIDS)

    client.no_call("the backward Call has no Reply yet", breaks=XIDS)
    client.answer(called)
    client.next_call(breaks=XIDS)


@requirement(
    CREDITS,
    needs=("backward",),
    interpretations=("D-54",),
    means={WITHIN: CREDITS},
    wider=REFUSAL,
)
def test_server_takes_no_grant_from_an_operation(peer_two: Peer) -> None:
    """An operation that begins something requests credits, and grants none."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(4)
    client.next_call()

    operation = build.option(peer_two, UnknownOption(77, b""), credits=1000)
    client.send(operation.octets, InvalidOption, breaks=CREDITS)

    client.no_call("no backward Reply has granted anything", breaks=CREDITS)


def answer_at_length(client: BackwardClient, called: Called, length: int) -> None:
    """Send the right Reply, and octets after its results that make it so long."""
    octets = client.reply(called, credits=1).octets
    client.peer.send(octets + bytes(length - len(octets)))
    client.in_flight.pop(called.xid)


@requirement(GROW, TAKES, needs=("backward",))
@pytest.mark.parametrize("length", [1028, 4096], ids="{}-octets".format)
def test_server_takes_a_backward_reply_of_up_to_4096_octets(peer_two: Peer, length: int) -> None:
    """A server that does not mind octets after the results takes 4096 octets of them."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(4)
    client.answer(client.next_call(), credits=1)
    answer_at_length(client, client.next_call(breaks=TAKES), SMALL)
    (second,) = client.calls(1)  # else it minds them, and nothing can be seen

    answer_at_length(client, second, length)

    client.answer(client.next_call(breaks=GROW))


@requirement(
    TAKES,
    needs=("backward",),
    interpretations=("D-40", "D-41"),
    wider="who ends the connection over what is no Reply has not taken it for one",
)
@pytest.mark.parametrize("length", [0, 4, 8, 12, 20, 23])
def test_server_takes_no_cut_reply_for_the_answer_to_its_call(peer_two: Peer, length: int) -> None:
    """A Reply that is cut within its RPC header ends no Call; the whole one after it does."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    cut = build_backward.cut(client.reply(called), length, credits=50)

    answers = (BadHeader, Answered) if length < WITH_MSG_TYPE else (BadHeader,)
    client.send(cut, *answers, breaks=TAKES)

    if client.hung_up(tolerated=TAKES):
        return
    client.no_call("the Call has no whole Reply", breaks=TAKES)
    client.answer(called, credits=1)
    client.next_call(breaks=TAKES)


@requirement(
    TAKES,
    needs=("backward",),
    interpretations=("D-41",),
    wider="who ends the connection over what is no Reply has not taken it for one",
)
def test_server_takes_no_call_for_the_answer_to_its_call(peer_two: Peer) -> None:
    """Its own Call comes back in place of the Reply: that ends no Call; the Reply after it does."""
    client = BackwardClient.of(peer_two)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    good = client.reply(called, credits=50)
    header = good.octets[: -len(good.payload)]

    client.send(header + called.payload, BadHeader, Answered, breaks=TAKES)

    if client.hung_up(tolerated=TAKES):
        return
    client.no_call("the Call has no Reply", breaks=TAKES)
    client.answer(called, credits=1)
    client.next_call(breaks=TAKES)
