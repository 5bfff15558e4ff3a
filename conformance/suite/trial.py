"""A target is tried before hundreds of cases are: what was done, and what came of it.

Of a server: a connection and a NULL call in each version, then one call of each kind that cases
make, and every file that they read.  Of a client: that it can be brought to connect, then each of
the acts without which most cases are inconclusive.  Nothing is judged by this; what does not come
off here is what a run would end with, or what many of its cases would say.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered
from conformance.suite.rigs import close_rigs, open_rigs
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client import build, liveness
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from conformance.tester.workload.base import Watched
from rpcrdma.errors import DecodeError, FabricError, LocalProtocolError
from rpcrdma.ulp.pattern import pattern
from targets.base import ActKind, TargetError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Request
    from targets.base import ClientTarget, Target

__all__ = ["Trial", "TrialEnd", "trials"]

_LENGTH: Final = 4096
"""Octets that calls fetch and store: what every binding has."""

_ACTS: Final = (
    (ActKind.NULL, 0, 1),
    (ActKind.SMALL, 0, 1),
    (ActKind.READ, _LENGTH, 1),
    (ActKind.WRITE, _LENGTH, 1),
    (ActKind.LONG_CALL, 0, 1),
    (ActKind.LONG_REPLY, 0, 1),
    (ActKind.MANY, 0, 2),
    (ActKind.MANY_READS, _LENGTH, 2),
    (ActKind.DISCONNECT, 0, 1),
)
"""What is tried of a client, with length and count; a case about any other act says why it cannot
be brought about."""


class TrialEnd(Enum):
    """How one step ended."""

    DONE = "ok"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Trial:
    """One step: what was tried, how that ended, and what came, or why it was not tried."""

    what: str
    end: TrialEnd
    came: str


def trials(target: Target | ClientTarget) -> Iterator[Trial]:
    """Try a target, step by step; after a step without which no other can be, there is no other.

    Args:
        target: at its place.
    """
    try:
        rigs = open_rigs(target)
    except (TargetError, FabricError) as error:
        yield Trial("start", TrialEnd.FAILED, str(error))
        return
    try:
        for rig in rigs.values():
            if isinstance(rig, Harness):
                yield from _of_server(rig)
            elif isinstance(rig, ClientHarness):
                yield from _of_client(rig)
    finally:
        close_rigs(rigs)


def _of_server(rig: Harness) -> Iterator[Trial]:
    where = f"{rig.session.address} over {rig.session.fabric.name}"
    rig.begin()
    for version in rig.profile.claims.versions:
        what = f"connect to {where}, NULL in version {version}"
        trial = _tried(what, lambda version=version: _null(rig, version))  # type: ignore[misc]
        yield trial
        if trial.end is TrialEnd.FAILED:
            return
    rig.end()
    try:
        rig.preflight()
        peer = rig.ready_peer()
    except (Deviation, Inconclusive) as error:
        yield Trial("get ready", TrialEnd.FAILED, _said(error))
        return
    workload = rig.workload
    # The link comes in a Reply chunk: whether a device reduces its path rightly is for the cases.
    for what, ask, form in (
        ("a small call", workload.small, build.short),
        (f"fetch {_LENGTH} octets", lambda: workload.fetch(_LENGTH), build.with_write_chunks),
        ("fetch a link", workload.read_link, build.long_reply),
        (
            f"store {_LENGTH} octets",
            lambda: workload.store(pattern(_LENGTH, 1)),
            build.with_read_chunks,
        ),
        ("a long reply", lambda: workload.long_reply(_LENGTH), build.long_reply),
    ):
        yield _called(peer, what, ask, form)
    if isinstance(workload, Watched):
        yield from _files(peer, workload)


def _files(peer: Peer, workload: Watched) -> Iterator[Trial]:
    """Fetch every file that no case writes, from its beginning to its end."""
    files: dict[str, list[Request]] = {}
    for place, request in workload.untouched().items():
        files.setdefault(place.split()[0], []).append(request)
    for name, pieces in files.items():
        trial = Trial(f"file {name}", TrialEnd.DONE, "")
        for piece in pieces:
            trial = _called(peer, trial.what, lambda piece=piece: piece, build.with_write_chunks)  # type: ignore[misc]
            if trial.end is not TrialEnd.DONE:
                break
        yield trial


def _null(rig: Harness, version: int) -> str:
    peer = rig.connect(version=version)
    if problem := liveness.problem_with(peer):
        raise Inconclusive(problem)
    return f"answered; {peer.granted} credits"


def _called(
    peer: Peer, what: str, ask: Callable[[], Request], form: Callable[[Peer, Request], Call]
) -> Trial:
    """Make one call in its form, and look at the results."""

    def outcome() -> str:
        request = ask()
        call = form(peer, request)
        peer.send(call)
        came = peer.receive()
        if not isinstance(came, Answered) or came.xid != call.xid:
            raise Inconclusive(f"{request.title} got {came}")
        try:
            problem = call.request.check(call.unreduced, call.reply_payload(came))
        except (DecodeError, LocalProtocolError) as error:
            raise Inconclusive(f"{request.title} was answered: {error}") from error
        if problem:
            raise Inconclusive(f"{request.title}: {problem}")
        return f"{request.title}: as it must be"

    return _tried(what, outcome)


def _of_client(rig: ClientHarness) -> Iterator[Trial]:
    rig.begin()
    trial = _tried(f"listen at {rig.address}, and have the client connect", lambda: _ready(rig))
    yield trial
    if trial.end is TrialEnd.FAILED:
        return
    for kind, length, count in _ACTS:
        if kind not in rig.client.acts:
            came = "the profile has no such act; cases that need it are inconclusive"
            yield Trial(f"act {kind.value}", TrialEnd.NOT_TRIED, came)
            continue
        yield _tried(f"act {kind.value}", lambda: _acted(rig, kind, length, count))  # noqa: B023  # called at once
    rig.end()


def _ready(rig: ClientHarness) -> str:
    service = rig.ready()
    return f"it connects, and its call is served: {service.received[-1]}"


def _acted(rig: ClientHarness, kind: ActKind, length: int, count: int) -> str:
    before = len(rig.service.received)
    result = rig.client.do(kind, length, count)
    result.takes(done=True)
    calls = len(rig.service.received) - before
    if not result.done:
        raise Inconclusive(f"it fails: {result.detail}; {calls} messages had come")
    return f"done; messages that came: {calls}"


def _tried(what: str, step: Callable[[], str]) -> Trial:
    try:
        return Trial(what, TrialEnd.DONE, step())
    except Unsupported as error:
        return Trial(what, TrialEnd.NOT_TRIED, str(error))
    except (Deviation, Inconclusive, FabricError, TargetError) as error:
        return Trial(what, TrialEnd.FAILED, _said(error))


def _said(error: Exception) -> str:
    return error.reason if isinstance(error, Deviation) else str(error)
