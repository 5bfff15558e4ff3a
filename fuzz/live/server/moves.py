"""What a tester can do to a server between messages: one function for each kind of step.

take_step(played, Move("connect", 7))

rfc8166 section 3.3.1   RPC-over-RDMA Credits
rfc8166 section 4.5.5   RPC-over-RDMA Transport Errors
rfc8166 section 8.1.1   Protection Domains
RFC 8797 section 4      Private Data Message Format
bidir section 2.6       Sending A Backward Direction Reply
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from conformance.backward.build import BackwardMessage
from conformance.backward.workload import carry_out
from conformance.explore.firing import Fired
from conformance.explore.named_memory import REGION
from conformance.explore.recipes import Breach, Shot
from conformance.explore.shots import BREACHES, CALLS
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build
from conformance.tester.client.peer import RECEIVES
from conformance.tester.private_data import FORMS
from conformance.tester.wire import Wired
from fuzz.live.server.dangers import NO_RECEIVES, ROOM_IN_USE
from fuzz.live.server.memory import NAMES, is_for_results
from reports.record import Verdict
from rpcrdma.fabric.base import Access
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaSegment
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.backward.workload import BackwardWorkload, Steps
    from conformance.tester.sent import Request
    from fuzz.live.move import Move
    from fuzz.live.server.playing import PlayedSequence

__all__ = ["MOVES", "shot_of", "take_step"]

_FORMS: Final = tuple(FORMS.values())
_CALLS: Final = tuple(CALLS)
_SHAPES: Final = ("short", "reduced", "long", "long-reduced")
_OFFERS: Final = ("needed", "write", "reply", "both", "nothing")
_CUTS: Final = (1, 3, 16)
_MOST_OCTETS: Final = 100_000
_BREACHES: Final = tuple(kind for kind in BREACHES if kind != "none")
_RECEIVES: Final = (RECEIVES, 1, 2, 64)
_FLOODS: Final = (2, 4, 8, 16, 33, 64, 65, 100)
_MOST_SHOTS: Final = 33
"""Calls of a flood that have memory each."""

_RIGHTS: Final = (
    Access.REMOTE_READ,
    Access.LOCAL_WRITE | Access.REMOTE_WRITE,
    Access.REMOTE_READ | Access.LOCAL_WRITE | Access.REMOTE_WRITE,
    Access.LOCAL_WRITE,
)
_LENGTHS: Final = (REGION, 4096, 100, 1, 3 * REGION)
_MOST_REQUESTS: Final = 12
"""Calls that are made to have a device call back: twice as many as it takes if all goes well."""

_SERVED_S: Final = 1.0
"""Seconds, at least, for each of these: a server may write down that there is a new client."""

_WORD: Final = 2**32


def take_step(played: PlayedSequence, move: Move) -> list[Fired]:
    """Take a step; what is not possible at this device is left, and said so in `played.told`.

    Returns:
        Messages that are judged meanwhile, and the step itself if it is kept back.

    Raises:
        Deviation: the device does not accept a connection that is needed.
    """
    try:
        return MOVES[move.kind](played, move)
    except (Inconclusive, Unsupported) as error:
        played.told.append(str(error))
        return []


def _kept_back(move: Move, danger: str) -> list[Fired]:
    return [Fired(b"", str(move), (), (), Verdict.NA, danger)]


# -- Calls


def shot_of(move: Move) -> Shot:
    """The good Call of a step.

    Args:
        move: by its place procedure, form, offer and segments; by its value octets of an item.
    """
    place, call = divmod(move.place, len(_CALLS))
    place, shape = divmod(place, len(_SHAPES))
    place, offer = divmod(place, len(_OFFERS))
    octets = move.value % _MOST_OCTETS
    return Shot(
        _CALLS[call],
        octets,
        octets // 2,
        _SHAPES[shape],
        _OFFERS[offer],
        _CUTS[place % len(_CUTS)],
    )


def _call(played: PlayedSequence, move: Move) -> list[Fired]:
    return played.cast(shot_of(move))


def _breach(played: PlayedSequence, move: Move) -> list[Fired]:
    """A Call that breaks one rule, and has the memory that it tells of."""
    call, kind = divmod(move.place, len(_BREACHES))
    place, value = divmod(move.value, 64)
    good = shot_of(type(move)("call", call, value * 97))
    breach = Breach(_BREACHES[kind], place % 1024, value)
    return played.cast(
        Shot(good.call, good.first, good.second, good.form, good.offer, good.cut, breach)
    )


def _hurry(played: PlayedSequence, move: Move) -> list[Fired]:
    """The next messages are not waited for."""
    played.hurried = 1 + move.place % 64
    return []


def _wait(played: PlayedSequence, _move: Move) -> list[Fired]:
    """For all that is in flight on this connection; if nothing is, for what comes by itself."""
    played.hurried = 0
    line = played.current.line
    if not line.flying:
        line.listen()
    return line.settle()


def _flood(played: PlayedSequence, move: Move) -> list[Fired]:
    """The last message many times.

    By the bits of the place: as the same call; not waited for; each by itself waited for.
    """
    number = _FLOODS[move.value % len(_FLOODS)]
    message = played.last
    if isinstance(message, Shot):
        number = min(number, _MOST_SHOTS)
    is_same, is_left, is_slow = (bool(move.place >> bit & 1) for bit in range(3))
    fired: list[Fired] = []
    for left in range(number, 0, -1):
        played.hurried = 0 if is_slow else left
        fired += played.cast(message if is_same else played.again(message))
    if not is_left:
        fired += _wait(played, move)
    return fired


# -- connections


def _connect(played: PlayedSequence, move: Move) -> list[Fired]:
    """Another connection with private data of some kind; a device may refuse it over them."""
    rest, form = divmod(move.place, len(_FORMS))
    receives = _RECEIVES[move.value % len(_RECEIVES)]
    try:
        played.connect(_FORMS[form], receives, fresh=bool(rest % 2))
    except Deviation as error:
        played.told.append(error.reason)
    return []


def _switch(played: PlayedSequence, move: Move) -> list[Fired]:
    played.switch(move.place)
    return []


def _close(played: PlayedSequence, _move: Move) -> list[Fired]:
    """An orderly end, whatever is in flight: that has no answers then."""
    line = played.current.line
    line.flying.clear()
    line.peer.disconnect()
    return []


def _vanish(played: PlayedSequence, move: Move) -> list[Fired]:
    """An end without a word, where the fabric can do that: the device tries for a while."""
    fabric = played.harness.session.fabric
    line = played.current.line
    if not isinstance(fabric, Wired):
        return _close(played, move)
    line.flying.clear()
    line.gone = True
    fabric.silence(line.peer.connection)
    return []


def _oversize(played: PlayedSequence, move: Move) -> list[Fired]:
    """A message longer than the device's Receives."""
    line = played.current.line
    line.costs = "a message was longer than the device's Receives"
    octets = build.null_call(line.peer).octets
    line.peer.send(octets + bytes(line.device.receive_length + move.value % 5000))
    return []


def _starve(played: PlayedSequence, move: Move) -> list[Fired]:
    """No Receive is posted any more in place of one that is used."""
    if played.cautious.refuses(NO_RECEIVES):
        return _kept_back(move, NO_RECEIVES)
    line = played.current.line
    line.peer.reposts = False
    line.costs = "the tester posts no Receives for answers"
    return []


def _feed(played: PlayedSequence, move: Move) -> list[Fired]:
    line = played.current.line
    if not line.peer.reposts:
        line.peer.reposts = True
        line.peer.post_receives(1 + move.place % RECEIVES)
    return []


# -- memory


def _withdraw(played: PlayedSequence, move: Move) -> list[Fired]:
    """The memory of a chunk, of which Calls in flight may tell, and later ones."""
    line = played.current.line
    chunk = line.memory.chunk(move.place)
    if chunk is None:
        raise Inconclusive("no memory has been told of")
    if line.flying and is_for_results(chunk) and played.cautious.refuses(ROOM_IN_USE):
        return _kept_back(move, ROOM_IN_USE)
    line.memory.withdraw(chunk)
    line.memory_changed()
    return []


def _rights(played: PlayedSequence, move: Move) -> list[Fired]:
    """Other memory under the name that messages have for it: other rights, another length."""
    rights, name = divmod(move.place, len(NAMES))
    length = _LENGTHS[move.value % len(_LENGTHS)]
    played.current.line.memory.remake(NAMES[name], _RIGHTS[rights % len(_RIGHTS)], length)
    return []


def _foreign(played: PlayedSequence, move: Move) -> list[Fired]:
    """The memory of another connection under the name that messages have for it."""
    current, other = played.current, played.other
    if other is None:
        raise Inconclusive("there is no other connection")
    current.line.memory.borrow(NAMES[move.place % len(NAMES)], other.line.memory)
    return []


def _invalidate(played: PlayedSequence, move: Move) -> list[Fired]:
    """The next message goes by Send With Invalidate; the device has offered no handle."""
    played.invalidates = move.value % _WORD
    return []


def _reach(played: PlayedSequence, move: Move) -> list[Fired]:
    """An RDMA Read of the device's memory, which it offers to nobody."""
    line = played.current.line
    fired = line.settle()
    line.costs = "the tester read where the device offers nothing"
    aim = RdmaSegment(move.value % _WORD, 4, 4096 * move.place)
    if line.peer.fetch((aim,)) is None:
        return fired
    reason = f"memory of the device is within reach of its client: {aim}"
    wanted = ("no RDMA Read by a Requester",)
    return [*fired, Fired(b"", str(move), wanted, ("octets",), Verdict.FAIL, reason)]


# -- the backward direction


def _announce(played: PlayedSequence, _move: Move) -> list[Fired]:
    """Say, in the words of the Upper-Layer Protocol, that backward Calls may come here."""
    return _carried_out(played, lambda workload: workload.announce())


def _provoke(played: PlayedSequence, move: Move) -> list[Fired]:
    """Have the device make backward Calls."""
    return _carried_out(played, lambda workload: workload.provoke(1 + move.place % 3))


def _leave(played: PlayedSequence, _move: Move) -> list[Fired]:
    """Have the device forget the client that it calls back, whatever is open."""
    return _carried_out(played, lambda workload: workload.leave())


def _carried_out(
    played: PlayedSequence, steps_of: Callable[[BackwardWorkload], Steps]
) -> list[Fired]:
    line = played.current.line
    workload = played.workload()
    if workload is None:
        raise Unsupported("the binding has nothing that makes a device call back")
    fired = line.settle()
    served = count(1)

    def serve(request: Request) -> bytes:
        if next(served) > _MOST_REQUESTS:
            raise Inconclusive(f"{_MOST_REQUESTS} Calls have brought about none")
        return line.serve(request, max(line.peer.profile.deadline, _SERVED_S))

    def pause(seconds: float) -> None:
        raise Inconclusive(f"the device would have to be left alone for {seconds:g} s")

    try:
        carry_out(steps_of(workload), serve, pause)
    except (Inconclusive, Unsupported) as error:
        played.told.append(str(error))
    return fired


def _answers(played: PlayedSequence, move: Move) -> list[Fired]:
    """Backward Calls are answered in this way from now on."""
    played.current.callbacks.draw(move)
    return []


def _answer(played: PlayedSequence, _move: Move) -> list[Fired]:
    """Backward Calls that wait are answered now, late."""
    played.current.callbacks.answer()
    return []


def _reply(played: PlayedSequence, move: Move) -> list[Fired]:
    """A backward Reply to no Call that there was, which is to be dropped."""
    xid = move.value % _WORD
    payload = rpc.accepted(xid)
    return played.cast(BackwardMessage(xid, payload, move.place % 64).octets)


MOVES: Final[Mapping[str, Callable[[PlayedSequence, Move], list[Fired]]]] = {
    "call": _call,
    "breach": _breach,
    "hurry": _hurry,
    "wait": _wait,
    "flood": _flood,
    "connect": _connect,
    "switch": _switch,
    "close": _close,
    "vanish": _vanish,
    "withdraw": _withdraw,
    "rights": _rights,
    "foreign": _foreign,
    "invalidate": _invalidate,
    "reach": _reach,
    "oversize": _oversize,
    "starve": _starve,
    "feed": _feed,
    "announce": _announce,
    "provoke": _provoke,
    "answers": _answers,
    "answer": _answer,
    "leave": _leave,
    "reply": _reply,
}
"""What can be done; `fuzz.live.server.steps` names the same."""
