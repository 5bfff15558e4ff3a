"""Messages in Version Two that a Responder cannot take for a Call.

v2 section 4.2.3  Transport Errors (where nothing else is said, as in Version One)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.oracle.sizes import SHORTEST_MESSAGE
from conformance.tester.client import build, mutate
from conformance.tester.server.misbound import Misbound
from rpcrdma import wire
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import ErrBadHeader, ErrInvalidOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message

BAD_CALL: Final = "v2.4.2.3.bad-call-gets-bad-header"
SHORT: Final = "v2.4.2.3.short-message-is-dropped"
OLD: Final = "v2.4.2.3.old-procedures-are-gone"
DROPPED: Final = "v2.4.2.3.errors-are-not-answered"
UNDECODABLE: Final = "v2.4.2.3.undecodable-error-is-dropped"
TWO_XIDS: Final = "v2.4.2.3.mismatched-xid-is-not-answered-under-it"
WRONG_WAY: Final = "v2.4.2.3.wrong-direction-is-not-served"
NO_CALL: Final = "v2.4.2.3.nomsg-without-payload-gets-bad-header"
FAULTS: Final = "v2.4.2.3.rdma-faults-harm-nobody-else"

NOMSG, MSGP, DONE = 1, 2, 3
UNUSED: Final = 0x00DEAD00
"""A handle that nobody has given out."""
UNUSUAL: Final = 2777
"""Octets that no other case asks for: a device may remember which Call cost a connection."""
ERROR_CODE: Final = 16
"""Offset of rdma_err."""


def with_good_lists(peer: Peer) -> Call:
    """A NULL Call with one chunk in each list: its header ends at octet 136."""
    return mutate.lists(
        build.null_call(peer),
        rdma_reads=peer.expose(bytes(64)).read_segments(40),
        rdma_writes=(peer.room((64,)).write_chunk(),),
        rdma_reply=peer.room((256,)).write_chunk(),
    )


@requirement(
    BAD_CALL,
    "v2.4.2.3.error-echoes-the-xid",
    "v2.4.2.3.error-echoes-the-version",
    "v2.3.2.errors-keep-the-fixed-layout",
    "v2.4.2.1.error-has-no-payload",
)
@pytest.mark.parametrize("length", [32, 36, 44, 48, 52, 72, 84, 96], ids="{}-octets".format)
def test_responder_answers_a_header_that_is_cut_with_bad_header(
    peer_two: Peer, length: int
) -> None:
    """A Call whose chunk lists end early gets BAD_HEADER, and the next Call is served."""
    call = mutate.truncate(with_good_lists(peer_two), length)

    peer_two.send(call)

    verify.cut(peer_two, call, breaks=BAD_CALL)


@requirement(BAD_CALL, interpretations=("D-33",))
@pytest.mark.parametrize("number", [0, 2, 4], ids=["read-list", "write-list", "reply-chunk"])
def test_responder_answers_a_presence_word_of_two_with_bad_header(
    peer_two: Peer, number: int
) -> None:
    """A word that should say whether a list follows, and says 2, gets BAD_HEADER."""
    store = peer_two.workload.store(bytes(64))
    good = build.call(peer_two, store, reads=((64,),), writes=((64,),), reply=(1024,))
    call = mutate.word(good, mutate.discriminators(good)[number].offset, 2)

    peer_two.send(call)

    verify.expect(peer_two, call, ErrChunk, tolerated=(Answered,), breaks=BAD_CALL)


@requirement(BAD_CALL)
@pytest.mark.parametrize("count", [2, 2**16, 2**32 - 1])
def test_responder_answers_a_count_beyond_the_message_with_bad_header(
    peer_two: Peer, count: int
) -> None:
    """A Write chunk that is said to have more segments than the message holds gets BAD_HEADER."""
    good = build.call(peer_two, peer_two.workload.null(), writes=((64,),))
    short = mutate.truncate(good, mutate.header_length(good))
    segment_count = mutate.header_length(good) - 28  # of one segment, two words after it
    call = mutate.word(short, segment_count, count, "segments of the Write chunk")

    peer_two.send(call)

    verify.cut(peer_two, call, breaks=BAD_CALL)


@requirement(SHORT, interpretations=("D-133",))
@pytest.mark.parametrize("length", [0, 4, 16, 20, 27], ids="{}-octets".format)
def test_responder_drops_what_is_too_short(peer_two: Peer, length: int) -> None:
    """Under 28 octets a message is dropped unread."""
    call = mutate.truncate(build.null_call(peer_two), length)

    peer_two.send(call)

    verify.discarded(peer_two, call)


@requirement(SHORT, interpretations=("D-133",))
def test_responder_drops_short_messages_of_every_length_in_a_row(peer_two: Peer) -> None:
    """Messages of 0 to 27 octets, one after the other, are dropped, and cost no Receive."""
    calls = [
        mutate.truncate(build.null_call(peer_two), length) for length in range(SHORTEST_MESSAGE)
    ]
    peer_two.post_receives(len(calls))  # for a device that answers every one: none gets stuck

    for call in calls:
        peer_two.send(call)

    verify.discarded(peer_two, calls[-1])


@requirement(BAD_CALL, interpretations=("D-133",))
@pytest.mark.parametrize("length", [28, 31], ids="{}-octets".format)
def test_responder_answers_a_header_without_its_last_word(peer_two: Peer, length: int) -> None:
    """A Call of 28 to 31 octets is a header that cannot be decoded, and gets BAD_HEADER."""
    call = mutate.truncate(build.null_call(peer_two), length)

    peer_two.send(call)

    answer = verify.discarded(peer_two, call, ErrChunk)
    sentence = "the message gets BAD_HEADER"
    verify.recommended(peer_two, answer, sentence, actual="no answer", breaks=BAD_CALL)


@requirement("v2.4.2.3.unknown-procedure-gets-bad-header")
@pytest.mark.parametrize("procedure", [6, 7, 255, 2**32 - 1], ids="procedure-{:#x}".format)
def test_responder_answers_an_unknown_procedure_with_bad_header(
    peer_two: Peer, procedure: int
) -> None:
    """A procedure that Version Two does not have gets BAD_HEADER."""
    call = mutate.procedure(build.small_call(peer_two), procedure)

    peer_two.send(call)

    verify.expect(peer_two, call, ErrChunk)


def in_old_form(call: Call, procedure: int) -> Call:
    """The same call with a procedure of Version One and what follows it there."""
    header = wire.TransportHeader(call.xid, 1, 8, wire.RdmaMsgp(8, 8, (), (), None))
    if procedure == DONE:
        header = wire.TransportHeader(call.xid, 1, 8, wire.RdmaDone())
    octets = wire.encode_header(header)
    changed = mutate.octets(mutate.procedure(call, procedure), 16, octets[16:])
    return mutate.truncate(changed, len(octets)) if procedure == DONE else changed


@requirement(OLD, SHORT, interpretations=("D-10", "D-57"))
@pytest.mark.parametrize("body", ["of-version-one", "of-an-rdma2-msg"])
@pytest.mark.parametrize("procedure", [MSGP, DONE], ids=["msgp", "done"])
def test_responder_serves_no_procedure_of_version_one(
    peer_two: Peer, procedure: int, body: str
) -> None:
    """Procedures 2 and 3 get BAD_HEADER, 3 as well silence, and a message of 16 octets nothing."""
    call = build.small_call(peer_two)
    is_old = body == "of-version-one"
    call = in_old_form(call, procedure) if is_old else mutate.procedure(call, procedure)

    peer_two.send(call)

    if len(call.octets) < SHORTEST_MESSAGE:
        verify.discarded(peer_two, call)
    elif procedure == DONE:
        verify.discarded(peer_two, call, ErrChunk)
    else:
        verify.reported(peer_two, call, silence_warns=True, breaks=OLD)


@requirement(NO_CALL, interpretations=("D-22",))
@pytest.mark.parametrize("present", ["nothing", "write-list", "reply-chunk"])
def test_responder_executes_no_nomsg_that_holds_no_call(peer_two: Peer, present: str) -> None:
    """An RDMA2_NOMSG without a Position-Zero Read chunk gets BAD_HEADER."""
    call = mutate.procedure(build.small_call(peer_two), NOMSG)
    bodies = {
        "nothing": wire.RdmaNomsg((), (), None),
        "write-list": wire.RdmaNomsg((), (peer_two.room((64,)).write_chunk(),), None),
        "reply-chunk": wire.RdmaNomsg((), (), peer_two.room((1024,)).write_chunk()),
    }
    call = mutate.payload(mutate.body(call, bodies[present]), b"")

    peer_two.send(call)

    if present == "nothing":
        verify.reported(peer_two, call)
    else:
        verify.discarded(peer_two, call, ErrChunk, tolerated=(Disconnected,))


@requirement(TWO_XIDS, interpretations=("D-12",), means={"v2.4.2.3.error-echoes-the-xid": TWO_XIDS})
def test_responder_answers_two_xids_under_that_of_the_header(peer_two: Peer) -> None:
    """A Call whose header has another XID than its RPC message is refused, or served under it."""
    call = mutate.xid(build.null_call(peer_two), 0x7000_0001)

    peer_two.send(call)

    verify.expect(peer_two, call, ErrChunk, Answered, breaks=TWO_XIDS)


@requirement(WRONG_WAY, interpretations=("D-134",))
@pytest.mark.parametrize("direction", [1, 2, 2**32 - 1], ids="direction-{:#x}".format)
def test_responder_serves_no_call_that_is_said_to_be_none(peer_two: Peer, direction: int) -> None:
    """A Call under another direction than CALL is refused, or dropped if it says REPLY."""
    call = mutate.direction(build.small_call(peer_two), direction)

    peer_two.send(call)

    if direction == MessageType.REPLY:
        verify.discarded(peer_two, call, ErrChunk, breaks=WRONG_WAY)
    else:
        verify.reported(peer_two, call, breaks=WRONG_WAY)


@requirement("v2.4.2.3.ineligible-argument-is-reported", interpretations=("D-20",))
@pytest.mark.parametrize("length", [4, 8], ids="{}-octets".format)
def test_responder_refuses_a_reduced_ineligible_argument(peer_two: Peer, length: int) -> None:
    """The last octets of a call without eligible arguments, moved into a Read chunk, spoil it."""
    request = peer_two.workload.small()
    spoilt = replace(request, layer=Misbound(request.layer, length))
    call = build.call(peer_two, spoilt, reads=((),))

    peer_two.send(call)

    verify.chunks.refused(peer_two, call)


LACKS_ROOM: Final[dict[str, Callable[[Peer], Call]]] = {
    "write-chunk": lambda peer: build.with_write_chunks(
        peer, peer.workload.fetch(3100), ((3096,),)
    ),
    "reply-chunk": lambda peer: build.long_reply(peer, peer.workload.long_reply(6000), (3000,)),
    "no-reply-chunk": lambda peer: build.short(peer, peer.workload.long_reply(6000)),
}


@requirement("v2.4.2.3.lack-of-room-is-reported", interpretations=("D-21",))
@pytest.mark.parametrize("what", LACKS_ROOM)
def test_responder_reports_that_results_do_not_fit(peer_two: Peer, what: str) -> None:
    """Results for which there is too little room are not cut: an error comes instead."""
    call = LACKS_ROOM[what](peer_two)

    peer_two.send(call)

    verify.chunks.not_served(peer_two, call)


@requirement("v2.4.2.3.unparsable-arguments-get-garbage-args")
def test_responder_answers_arguments_that_end_early_with_garbage_args(peer_two: Peer) -> None:
    """A good header and arguments that are cut off get GARBAGE_ARGS in an RDMA2_MSG."""
    call = build.short(peer_two, peer_two.workload.garbage())

    peer_two.send(call)

    reply = verify.garbage_args(peer_two, call)
    verify.that(not reply.answer.is_long, "the Reply is an RDMA2_MSG", actual=str(reply.answer))


ERRORS: Final[dict[str, Callable[[Peer], Message]]] = {
    "err-vers": lambda peer: build.error(peer, wire.ErrVers(1, 1)),
    "bad-header": lambda peer: build.error(peer, ErrBadHeader()),
    "inval-option": lambda peer: build.error(peer, ErrInvalidOption()),
    "with-octets-behind": lambda peer: mutate.append(build.error(peer, ErrBadHeader()), bytes(44)),
}

UNREADABLE: Final[dict[str, Callable[[Peer], Message]]] = {
    "code-0": lambda peer: mutate.word(build.error(peer, wire.ErrVers(1, 1)), ERROR_CODE, 0),
    "code-9": lambda peer: mutate.word(build.error(peer, wire.ErrVers(1, 1)), ERROR_CODE, 9),
    "without-code": lambda peer: mutate.truncate(build.error(peer, ErrBadHeader()), ERROR_CODE),
    "without-range": lambda peer: mutate.truncate(build.error(peer, wire.ErrVers(1, 1)), 24),
}


@requirement(DROPPED, interpretations=("D-53", "D-132"))
@pytest.mark.parametrize("error", ERRORS)
def test_responder_answers_no_error(peer_two: Peer, error: str) -> None:
    """An RDMA2_ERROR that nobody waits for is dropped."""
    message = ERRORS[error](peer_two)

    peer_two.send(message)

    verify.discarded(peer_two, message)


@requirement(UNDECODABLE, DROPPED, interpretations=("D-132",))
@pytest.mark.parametrize("error", UNREADABLE)
def test_responder_drops_an_error_that_it_cannot_read(peer_two: Peer, error: str) -> None:
    """An RDMA2_ERROR of a code that nobody knows, or that is cut, is dropped."""
    message = UNREADABLE[error](peer_two)

    peer_two.send(message)

    verify.discarded(peer_two, message)


@requirement(FAULTS)
@pytest.mark.parametrize("what", ["read-chunk", "write-chunk", "reply-chunk"])
def test_responder_harms_nobody_else_where_memory_cannot_be_used(
    peer_two: Peer, connect_two: Callable[..., Peer], what: str
) -> None:
    """Chunks under a handle that nobody gave out end in an error or with the connection."""
    work = peer_two.workload
    calls = {
        "read-chunk": lambda: mutate.read_segment(
            build.with_read_chunks(peer_two, work.store(bytes(UNUSUAL))), 0, handle=UNUSED
        ),
        "write-chunk": lambda: mutate.write_segment(
            build.with_write_chunks(peer_two, work.fetch(UNUSUAL)), 0, 0, handle=UNUSED
        ),
        "reply-chunk": lambda: mutate.reply_segment(
            build.long_reply(peer_two, work.long_reply(3 * UNUSUAL)), 0, handle=UNUSED
        ),
    }
    other = connect_two()
    call = calls[what]()

    peer_two.send(call)

    verify.expect(peer_two, call, ErrChunk, Disconnected, breaks=FAULTS)
    good = build.with_write_chunks(other, other.workload.fetch(3100))
    other.send(good)
    verify.chunks.served(other, good)
