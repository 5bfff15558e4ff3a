"""Serves one act of a client by a turn: moves for the calls that the turn names, then what is due.

Whatever a turn does, its act comes to an end: a call that may still wait gets its right Reply once
nothing else comes, and a connection on which nothing comes any more is ended, so that the client
makes its calls again on a new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from conformance.tester.case import Inconclusive
from conformance.tester.server.received import offers_memory
from fuzz.live.client.moves import MOVES
from fuzz.live.client.recipes import MOST_ANSWERS, MOST_MOVES

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall
    from fuzz.live.client.moves import ServedTurn
    from fuzz.live.client.recipes import Turn
    from fuzz.live.move import Move
    from rpcrdma.fabric.base import Clock
    from targets.base import RunningAct

__all__ = ["serve_turn"]


def serve_turn(
    served: ServedTurn, act: RunningAct, turn: Turn, clock: Clock, quiet: float, stuck: float
) -> None:
    """Do what a turn says, until its act has ended or only right Replies are left to give.

    Args:
        served: what the tester knows in this turn.
        act: which has begun.
        turn: what is done about its calls.
        clock: of the fabric.
        quiet: seconds without a call after which calls that may wait get their right Replies.
        stuck: seconds without anything after which the connection is ended, or given up for lost.

    Raises:
        BadInput: there is no such move.
    """
    service = served.service
    answers = iter(turn.answers[:MOST_ANSWERS])
    heard = clock.now()
    while act.poll() is None:
        service.waiting(quiet, until=lambda: act.poll() is not None or bool(service.waiting(0.0)))
        for _ in service.waiting(0.0):
            call = service.next_call()
            if call.body is not None and not call.answered:
                _answer(served, call, next(answers, ()))
            heard = clock.now()
        waited = clock.now() - heard
        if waited < quiet or act.poll() is not None:
            continue
        if served.pending or served.held:
            _give_what_is_due(served, goes_on=True)
            heard = clock.now()
        elif waited >= (service.profile.deadline if served.silent else stuck):
            served.costs = True
            service.drop()
            break
    ended = act.poll()
    if ended and ended.done:
        served.look_if_early()
    _give_what_is_due(served, goes_on=False)


def _answer(served: ServedTurn, call: ReceivedCall, moves: tuple[Move, ...]) -> None:
    if not moves:
        served.right(call)
        return
    for move in moves[:MOST_MOVES]:
        make = MOVES.get(move.kind)
        if make is None:
            known = ", ".join(MOVES)
            raise BadInput(
                f"there is no move `{move.kind}` about a client's call; there are {known}"
            )
        if not served.line(call).connected:
            return
        try:
            make(served, call, move)
        except Inconclusive:  # there is no right Reply to be changed
            served.right(call)
    if not call.answered and call not in (*served.held, *served.silent):
        served.pending.append(call)


def _give_what_is_due(served: ServedTurn, *, goes_on: bool) -> None:
    """Give right Replies to all that may wait for them.

    A call that may have ended has taken its memory back then, so that results which are placed
    there cost the connection.  Once the act is over nobody waits for them.
    """
    for call in (*served.pending, *served.held):
        if served.is_doubtful(call) and offers_memory(call):
            served.costs |= goes_on
            call.answered |= not goes_on
        served.right(call)
    served.pending.clear()
    served.held.clear()
