"""Procedures that a Responder receives and must not take for Calls, and those that it sends.

rfc8166 section 4.2.4  Procedure Number
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client import build, mutate
from rpcrdma import wire
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

MSG: Final = "rfc8166.4.2.4.msg-is-zero"
ABSENT: Final = ("rfc8166.4.3.no-chunks-all-absent", "rfc8166.4.7.no-chunks-three-zero-words")
DROPS_ERROR: Final = "rfc8166.4.2.4.responder-discards-error"
ERR_VERS: Final = wire.RdmaError(wire.ErrVers(1, 1))
ERR_CHUNK: Final = wire.RdmaError(wire.ErrChunk())
ERROR: Final = 4
LISTS: Final = ("-", "r", "w", "p", "rw", "rp", "wp", "rwp")
"""Which lists a Call has: the letters stand for Read list, Write list and Reply chunk."""
ERRORS: Final[dict[str, Callable[[Call], Call]]] = {
    "err-vers": lambda call: mutate.payload(mutate.body(call, ERR_VERS), b""),
    "err-chunk": lambda call: mutate.payload(mutate.body(call, ERR_CHUNK), b""),
    "err-chunk-and-8-octets": lambda call: mutate.payload(mutate.body(call, ERR_CHUNK), bytes(8)),
    "err-vers-and-a-call": lambda call: mutate.body(call, ERR_VERS),
    "in-place-of-msg": lambda call: mutate.procedure(call, ERROR),
}


@requirement(DROPS_ERROR, interpretations=("D-15",))
@pytest.mark.parametrize("name", ERRORS)
def test_responder_discards_an_error_of_a_requester(peer: Peer, name: str) -> None:
    """RDMA_ERROR is dropped without an answer, whatever follows its fixed words."""
    call = ERRORS[name](build.null_call(peer))

    peer.send(call)

    verify.discarded(peer, call)


@requirement(
    "rfc8166.4.5.undecodable-error-discarded", DROPS_ERROR, interpretations=("D-15", "D-132")
)
@pytest.mark.parametrize("code", [0, 3, 99, 2**32 - 1], ids="code-{:#x}".format)
def test_responder_discards_an_error_of_unknown_code(peer: Peer, code: int) -> None:
    """RDMA_ERROR of a code that no document defines cannot be decoded, and is dropped as well."""
    call = mutate.word(mutate.procedure(build.null_call(peer), ERROR), 16, code, "rdma_err")

    peer.send(call)

    verify.discarded(peer, call)


@requirement("rfc8166.4.2.4.msg-lists-may-be-absent", "rfc8166.4.3.three-optional-lists")
@pytest.mark.parametrize("lists", LISTS, ids=str)
def test_responder_takes_an_rdma_msg_with_any_of_its_lists(peer: Peer, lists: str) -> None:
    """Each of the three lists may be there or not, whichever of the others are."""
    reads, writes, reply = (letter in lists for letter in "rwp")
    data = pattern(300, 25)
    call = build.call(
        peer,
        peer.workload.store(data),
        reads=((100,),) if reads else None,
        writes=((512,),) if writes else (),
        reply=(2048,) if reply else None,
    )

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement("rfc8166.4.2.4.nomsg-lists-may-be-absent", "rfc8166.4.2.4.nomsg-payload-by-rdma")
@pytest.mark.parametrize("lists", [one for one in LISTS if "r" not in one], ids=str)
def test_responder_takes_an_rdma_nomsg_with_any_further_list(peer: Peer, lists: str) -> None:
    """Beside the Read list of a Long Call, the other two may each be there or not."""
    data = pattern(300, 26)
    call = build.call(
        peer,
        peer.workload.store(data),
        whole=(100,),
        writes=((512,),) if "w" in lists else (),
        reply=(2048,) if "p" in lists else None,
    )

    peer.send(call)

    verify.chunks.stored(peer, call, data)


@requirement(
    MSG,
    "rfc8166.4.2.4.msg-payload-follows-the-lists",
    *ABSENT,
)
def test_responder_answers_a_short_call_by_msg_without_chunks(peer: Peer) -> None:
    """A short Call without chunks gets an RDMA_MSG whose three lists are absent."""
    call = build.small_call(peer)

    peer.send(call)

    body = verify.served(peer, call, breaks=MSG).answer.body
    breaks = ABSENT if isinstance(body, wire.RdmaMsg) else MSG
    wanted = wire.RdmaMsg((), (), None)
    verify.equal(body, wanted, "the body of the Reply's header", breaks=breaks)


@requirement("rfc8166.4.2.4.nomsg-is-one", interpretations=("D-32",))
@pytest.mark.parametrize("tail", ["zeros", "another-call"])
def test_responder_executes_nothing_behind_the_lists_of_nomsg(peer: Peer, tail: str) -> None:
    """Octets after an RDMA_NOMSG are ignored or get ERR_CHUNK; they are never taken for a Call."""
    call = build.long_call(peer, peer.workload.small())
    other = peer.workload.null().encode(peer.next_xid())
    call = mutate.append(call, other if tail == "another-call" else bytes(40))

    peer.send(call)

    outcome = verify.expect(peer, call, Answered, ErrChunk)
    if isinstance(outcome, Answered):
        verify.right(peer, call, outcome)
    verify.silent(peer)
