"""Verifications of silence: what a device drops is shown by what follows, not by waiting.

verify.discarded(peer, call)              silence
verify.discarded(peer, call, ErrChunk)    silence, or an error
verify.reported(peer, call)               an error; whoever drops the call is not waited for
verify.cut(peer, call)                    a header that is cut: an error, or what D-40 allows
verify.silent(peer)                       nothing more comes

Where packets of the run are lost on purpose (`conformance.tester.weather`), the grace period does
not pass while one of them has not been made up for.

rfc8166 section 4.5  Error Handling
bidir section 2.4    Backward Direction Message Size
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.marks import marks_of_kind
from conformance.oracle.outcome import (
    Answered,
    Disconnected,
    ErrChunk,
    Outcome,
    Silent,
)
from conformance.tester.case import Deviation
from conformance.tester.client.fence import AnswerPlace, Fence
from conformance.verify import accepted
from conformance.verify.answers import expect, recommended, that
from conformance.verify.blame import blamed, ids_of
from conformance.verify.granted import await_answer
from conformance.verify.words import SENTENCES, sentences

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message
    from conformance.verify.accepted import Statuses
    from conformance.verify.blame import Ids

__all__ = ["cut", "discarded", "reported", "silent"]


def discarded(
    peer: Peer,
    call: Call | Message,
    *or_else: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
    statuses: Statuses = accepted.ANY,
) -> Outcome | None:
    """Nothing answers `call`, shown by what follows.

    A good call after it on the same connection is answered first, and nothing more comes within
    the profile's grace period.

    Args:
        peer: where `call` was sent.
        call: what must be dropped.
        or_else: kinds of answer that are as good; the good call's may overtake such an answer.
        tolerated: kinds of outcome that are let pass with a warning, and end the case.
        breaks: requirements that any other outcome breaks.
        statuses: as for `expect`.

    Returns:
        The outcome of such a kind, if one came.
    """
    accepted.note(peer, call, (Silent, *or_else), tolerated, statuses, ids_of(breaks))
    return _what_follows(peer, call, or_else, tolerated, breaks)


def reported(
    peer: Peer, call: Call | Message, *, silence_warns: bool = False, breaks: Ids = ()
) -> None:
    """ERR_CHUNK answers `call`; for a device that drops it nobody waits as long as for an answer.

    Args:
        peer: where `call` was sent.
        call: what must be reported.
        silence_warns: whether silence is let pass with a warning.
        breaks: requirements that any other outcome breaks.
    """
    tolerated = (Silent,) if silence_warns else ()
    accepted.note(peer, call, (ErrChunk,), tolerated, breaks=ids_of(breaks))
    answer = _what_follows(peer, call, (ErrChunk,), (), breaks)
    sentence = f"{sentences((ErrChunk,), call)[0]} answers the message"
    if silence_warns:
        recommended(peer, answer, sentence, actual="no answer", breaks=breaks)
    else:
        that(answer, sentence, actual="no answer", breaks=breaks)


def cut(peer: Peer, call: Call, *, breaks: Ids = ()) -> None:
    """ERR_CHUNK answers a header that is cut, or a device that claims to be called drops it (D-40).

    Args:
        peer: where `call` was sent.
        call: whose header is cut, or counts more than the message holds.
        breaks: requirements that any other outcome breaks.
    """
    if peer.device.backward:
        answer = discarded(peer, call, ErrChunk, breaks=breaks)
        if answer is None:
            return
        peer.put_aside(answer)
    expect(peer, call, ErrChunk, breaks=breaks)


def silent(peer: Peer, *, breaks: Ids = ()) -> None:
    """Nothing comes within the profile's grace period; the end of the connection is no message."""
    outcome = peer.receive(peer.profile.grace)
    if not isinstance(outcome, Silent | Disconnected):
        raise Deviation(
            f"Something came where nothing may come: {outcome}.",
            expected=(SENTENCES[Silent],),
            actual=str(outcome),
            breaks=blamed(outcome, peer.version, breaks),
            marks=marks_of_kind(outcome),
        )


def _what_follows(
    peer: Peer,
    call: Call | Message,
    or_else: tuple[type[Outcome], ...],
    tolerated: tuple[type[Outcome], ...],
    breaks: Ids,
) -> Outcome | None:
    """What answers `call` before a good call after it has been answered; None if nothing does."""
    await_answer(peer, is_due=bool(or_else))
    fence = Fence.behind(peer, call.xid)
    expected = (
        "no answer to the message, and one to the good call after it",
        *sentences((*or_else, *tolerated), call),
    )
    answer: Outcome | None = None
    waiting = True
    while True:
        outcome = peer.receive(None if waiting else peer.profile.grace)
        peer.case.expected, peer.case.actual = expected, str(answer or outcome)
        place = fence.place(outcome)
        if waiting and isinstance(outcome, Answered) and place is AnswerPlace.FENCE:
            waiting = False
        elif answer is None and isinstance(outcome, or_else) and place is AnswerPlace.MESSAGE:
            answer = outcome
        elif not waiting and isinstance(outcome, Silent):
            return answer
        elif isinstance(outcome, Disconnected) and isinstance(answer, accepted.ERRORS):
            peer.case.interpretations.append(accepted.MAY_CLOSE)
            return answer
        elif isinstance(outcome, tolerated):
            after = f" after {answer}" if answer else ""
            reason = f"{outcome} came{after} for {call}, which should cost no more than itself."
            peer.case.let_pass(reason, ids_of(breaks), instead=True)
            return outcome
        else:
            raise Deviation(
                f"{call} was not discarded: {outcome}.",
                expected=expected,
                actual=str(outcome),
                breaks=blamed(outcome, call.version, breaks),
                marks=marks_of_kind(outcome),
            )
