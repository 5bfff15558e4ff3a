"""What a turn shows of a client: the rules that its messages break, and the end of its act.

An act may have several calls, and only its own end is seen.  So each end is right that the oracle
allows for what was sent meanwhile, a tolerated one too; where a connection was lost by what the
tester did, either end is (D-157).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from conformance.explore.firing import Fired
from conformance.oracle.requester.expectation import Reaction
from conformance.tester.server.served import may_complete
from fuzz.live.client.recipes import encode_turn
from reports.record import Verdict
from rpcrdma.ulp.pattern import pattern
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.oracle.requester.expectation import ReactionExpectation
    from conformance.oracle.verdict import BrokenRule, Ids
    from conformance.tester.server.served import ServedAct
    from fuzz.live.client.recipes import Turn

__all__ = ["CLOSED", "judged"]

_ENDS: Final = frozenset({Reaction.FAILED, Reaction.CLOSED})

CLOSED: Final = "the client ends the connection"

_PERMANENT: Final = "rfc8166.4.5.error-is-permanent"

_PROTECTED: Final = ("rfc8166.4.4.1.memory-protected-before-upper-layer-access",)

_INTACT: Final = ("rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",)


def judged(
    turn: Turn,
    served: ServedAct,
    broken: Iterable[BrokenRule],
    told: Sequence[str] = (),
    *,
    lost: bool = False,
    closed: bool = False,
    alters: bool = False,
    early: bool = False,
    early_after: ReactionExpectation | None = None,
    exposed: str = "",
) -> Fired:
    """The verdict on a turn.

    Args:
        turn: that was taken.
        served: how its act ended, with what was sent meanwhile.
        broken: rules that messages of the client broke.
        told: what else came of it, in words.
        lost: whether the connection may be lost by what was done.
        closed: whether the client has ended it.
        alters: whether other results were given than were asked for.
        early: whether it ended well before a call had a Reply that must wait for one.
        early_after: a message that the client has taken for such a Reply; None if nothing came.
        exposed: memory of its calls that is within reach although it is over, in words.
    """
    verdict, reason = Verdict.PASS, ""
    violated: Ids = ()
    rules = [rule for rule in broken if not rule.warns]
    if lost:  # an error on that connection may never have come
        rules = [rule for rule in rules if rule.origin != _PERMANENT]
    if rules:
        verdict, reason = Verdict.FAIL, "; ".join(dict.fromkeys(rule.detail for rule in rules))
        violated = tuple(dict.fromkeys(name for rule in rules for name in rule.ids))
    elif problem := _wrong_end(turn, served, lost=lost, closed=closed, alters=alters):
        verdict, (reason, violated) = Verdict.FAIL, problem
    elif exposed:
        verdict, reason, violated = Verdict.FAIL, f"memory is exposed: {exposed}", _PROTECTED
    elif early and not lost and not alters:
        about = early_after or _fault(served)
        verdict, violated = Verdict.FAIL, _ids(about)
        reason = f"{about.fault}: the act is done before the call has its Reply"
    ends = _allowed(served) | ({True, False} if lost else {False} if alters else set())
    faults = tuple(dict.fromkeys(one.fault for one in served.sent if one.fault))
    ended = f"{turn.act.value}: {served}" + (f", and {CLOSED}" if closed else "")
    return Fired(
        encode_turn(turn),
        str(turn),
        tuple("done" if end else "failed" for end in sorted(ends, reverse=True)),
        (ended, *(f"{turn.act.value}, {fault}: {served.state}" for fault in faults), *told),
        verdict,
        reason,
        violated,
    )


def _allowed(served: ServedAct) -> frozenset[bool]:
    """The ends that the oracle allows, or tolerates; True for a good one."""
    well = served.went_on or all(may_complete(each) for each in served.sent)
    badly = any(each.reactions & _ENDS for each in served.sent)
    return frozenset(end for end, is_right in ((True, well), (False, badly)) if is_right)


def _wrong_end(
    turn: Turn, served: ServedAct, *, lost: bool, closed: bool, alters: bool
) -> tuple[str, Ids] | None:
    """What is wrong with the end of an act, and the statements that it breaks."""
    if lost or not served.sent:
        return None  # what makes no call breaks no rule
    # An RPC that cannot be verified is sent again, for which some end the connection.
    if closed and not alters and not any(Reaction.CLOSED in each.reactions for each in served.sent):
        about = _fault(served)
        return (f"{about.fault or 'good Replies alone'}: {CLOSED}", _ids(about))
    if served.done not in _allowed(served) | ({False} if alters else set()):
        about = _culprit(served)
        return (f"{about.fault or 'good Replies alone'}: the act is {served.state}", _ids(about))
    is_one = turn.act is ActKind.READ and turn.count == 1
    if is_one and served.done and not alters and served.digest:
        expected = pattern(turn.length)
        if served.digest != hashlib.sha256(expected).hexdigest():
            return ("the client's application got other octets than the file has", _INTACT)
    return None


def _culprit(served: ServedAct) -> ReactionExpectation:
    """The message whose alternatives an act's end is none of."""
    if served.done:
        return next(each for each in served.sent if not may_complete(each))
    return _fault(served)


def _fault(served: ServedAct) -> ReactionExpectation:
    """The last faulty message that was sent, as the client went on after others; else the last."""
    return next((each for each in reversed(served.sent) if each.fault), served.sent[-1])


def _ids(about: ReactionExpectation) -> Ids:
    return about.allowed[0].ids
