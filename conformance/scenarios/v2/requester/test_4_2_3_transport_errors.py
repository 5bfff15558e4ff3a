"""v2 section 4.2.3 Transport Errors: what a Requester does about errors and about nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import SHORTEST_MESSAGE
from conformance.tester.case import Deviation
from conformance.tester.server.options import encode_two
from rpcrdma.wire import RdmaSegment, ReadSegment, v2
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import ReplyDraft, Service
    from conformance.tester.server.acting import ActingClient

ENDS = "v2.4.2.3.error-ends-the-rpc"
PERMANENT = "v2.4.2.3.error-is-permanent"
AS_REPLIES = "v2.4.2.2.errors-count-as-replies"
SHORT = "v2.4.2.3.short-message-is-dropped"
DROPPED = "v2.4.2.3.bad-reply-completes-nothing"
NO_ERROR = "v2.4.2.3.requester-sends-no-other-error"
DIRECTION = "v2.4.2.3.wrong-direction-is-not-served"
UNKNOWN = "v2.4.2.3.undecodable-error-is-dropped"
UNANSWERED = "v2.4.2.3.errors-are-not-answered"


def no_error(service: Service, before: int) -> None:
    """The client has sent no error since it had sent so many optional messages.

    Raises:
        Deviation: it has.
    """
    for message in service.options.messages[before:]:
        if message.is_error:
            raise Deviation(
                "The client answers what it cannot use.",
                expected=("no message",),
                actual=str(message),
            )


def name(error: v2.Rdma2ErrorBody) -> str:
    """Of an error, for the case's id."""
    return "inval-option" if isinstance(error, v2.ErrInvalidOption) else "bad-header"


def with_word(place: int, word: int) -> Callable[[ReplyDraft], bytes]:
    """A reply in which one word of the header is another."""
    return lambda draft: draft.octets[:place] + word.to_bytes(4) + draft.octets[place + 4 :]


SPOILT: dict[str, Callable[[ReplyDraft], bytes]] = {
    "cut-in-a-list": lambda draft: draft.octets[:30],
    "presence-of-two": with_word(20, 2),
    "procedure-9": with_word(12, 9),
    "read-list": lambda draft: draft.with_reads(ReadSegment(4, RdmaSegment(1, 4, 0))).octets,
    "call-inside": with_word(36, MessageType.CALL),
    "other-xid-inside": lambda draft: draft.octets[:32] + b"\x77" + draft.octets[33:],
}


@requirement(DROPPED, NO_ERROR, role="requester", interpretations=("D-28",))
@pytest.mark.parametrize("fault", SPOILT)
def test_requester_takes_no_spoilt_reply_for_a_good_one(
    service_two: Service, client: ActingClient, fault: str
) -> None:
    """A reply whose header is wrong comes first: the call waits, or fails; nothing is answered."""
    act = client.good_act()
    call = service_two.next_call()
    before = len(service_two.options.messages)

    verify.calls.reaction(service_two, call, act, SPOILT[fault](service_two.draft(call)))

    no_error(service_two, before)


@requirement(SHORT, NO_ERROR, role="requester")
@pytest.mark.parametrize("octets", [0, 16, 24, 27])
def test_requester_drops_a_short_message(
    service_two: Service, client: ActingClient, octets: int
) -> None:
    """Fewer than 28 octets of a good reply come first; the call waits for the whole of it."""
    act = client.good_act()
    call = service_two.next_call()
    before = len(service_two.options.messages)

    verify.calls.reaction(service_two, call, act, service_two.draft(call).octets[:octets])

    no_error(service_two, before)


@requirement(SHORT, NO_ERROR, role="requester")
def test_requester_drops_short_messages_of_every_length_in_a_row(
    service_two: Service, client: ActingClient
) -> None:
    """0 to 27 octets of a good reply come, one after the other; the call waits for the whole."""
    act = client.good_act()
    call = service_two.next_call()
    before = len(service_two.options.messages)
    reply = service_two.draft(call).octets
    *shorter, longest = (reply[:length] for length in range(SHORTEST_MESSAGE))

    for octets in shorter:
        service_two.send(octets)
    verify.calls.reaction(service_two, call, act, longest)

    no_error(service_two, before)


@requirement(DIRECTION, role="requester", interpretations=("D-134",))
@pytest.mark.parametrize("direction", [0, 2, 7], ids="direction-{}".format)
def test_requester_takes_no_reply_of_another_direction(
    service_two: Service, client: ActingClient, direction: int
) -> None:
    """A good reply whose header says CALL, or nothing that there is, ends no call well."""
    act = client.good_act()
    call = service_two.next_call()

    verify.calls.reaction(service_two, call, act, with_word(16, direction)(service_two.draft(call)))


@requirement(
    ENDS,
    PERMANENT,
    AS_REPLIES,
    role="requester",
    interpretations=("D-53", "D-77"),
)
@pytest.mark.parametrize("error", [v2.ErrBadHeader(), v2.ErrInvalidOption()], ids=name)
def test_requester_ends_a_call_that_is_refused(
    service_two: Service, client: ActingClient, error: v2.Rdma2ErrorBody
) -> None:
    """An error answers a call, about which nothing was optional: it fails, and is not repeated."""
    act = client.good_act()
    call = service_two.next_call()

    service_two.send(encode_two(call.xid, v2.Rdma2Error(error), service_two.grant))
    call.answered = True

    # An error that is looked up among the Calls of the other direction ends none of this one.
    verify.calls.failed(verify.calls.ended(service_two, act, (ENDS, AS_REPLIES)), (ENDS,))
    verify.calls.not_again(service_two, call, (PERMANENT,))


@requirement(
    UNKNOWN,
    UNANSWERED,
    role="requester",
    interpretations=("D-132",),
    means={NO_ERROR: UNANSWERED},
)
@pytest.mark.parametrize(
    "code",
    [b"\0\0\0\0", b"\0\0\0\x09", b"\xff\xff\xff\xff", b"\0\0", b""],
    ids=["code-0", "code-9", "code-ffffffff", "half-a-code", "no-code"],
)
def test_requester_drops_an_unknown_error(
    service_two: Service, client: ActingClient, code: bytes
) -> None:
    """An error whose code does not exist, or is cut: the call waits, or fails; no answer comes."""
    act = client.good_act()
    call = service_two.next_call()
    before = len(service_two.options.messages)
    error = service_two.draft(call).octets[:12] + (4).to_bytes(4) + code

    verify.calls.reaction(service_two, call, act, error)

    no_error(service_two, before)


@requirement(
    UNKNOWN,
    UNANSWERED,
    role="requester",
    interpretations=("D-11", "D-53"),
    means={NO_ERROR: UNANSWERED},
)
@pytest.mark.parametrize("version", [1, 3], ids="version-{}".format)
def test_requester_knows_no_inval_option_of_another_version(
    service_two: Service, client: ActingClient, version: int
) -> None:
    """INVAL_OPTION exists in Version Two alone: in another the call waits; no answer comes."""
    act = client.good_act()
    call = service_two.next_call()
    before = len(service_two.options.messages)
    error = encode_two(call.xid, v2.Rdma2Error(v2.ErrInvalidOption()), service_two.grant)

    verify.calls.reaction(service_two, call, act, error[:4] + version.to_bytes(4) + error[8:])

    no_error(service_two, before)
