"""The device in the Requester role as a scenario sees it: told to act, and served meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from conformance.tester.server.possible_acts import OPTIONAL, require_possible
from targets.base import Act, ActKind, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server.served import ServedAct
    from conformance.tester.server.service import Service
    from targets.base import ActResult, ClientSession, RunningAct

__all__ = ["ActingClient"]

GOOD_ACTS: Final = (ActKind.SMALL, ActKind.NULL, ActKind.READ, ActKind.LONG_REPLY, ActKind.WRITE)
"""What shows that a client lives; the first of these that it can be brought to do."""

GOOD_LENGTH: Final = 4096

LIMITED: Final = (ActKind.READ, ActKind.WRITE)
"""Acts of which a client may not be able to do any length, which breaks no rule."""


@dataclass(slots=True)
class ActingClient:
    """The device as a scenario sees it: told to act, and served meanwhile.

    Attributes:
        session: the running device.
        service: where it connects.
    """

    session: ClientSession
    service: Service
    _begun: list[RunningAct]
    _heard: int = 0
    """How many messages had come when it was last told to do something."""

    @property
    def results(self) -> tuple[ActResult | None, ...]:
        """What became of each act that it was told to do; None of one that has not ended."""
        return tuple(running.poll() for running in self._begun)

    def forget_ended(self) -> None:
        """Count no act any more that has ended: it was not the case's."""
        self._begun[:] = [running for running in self._begun if running.poll() is None]

    @property
    def acts(self) -> frozenset[ActKind]:
        """What it can be brought to do."""
        return self.session.acts

    def starting(self) -> bool:
        """Whether it has been told to do what it has not begun, or must begin again: connect."""
        begun = len(self.service.received) > self._heard and self.service.connected
        return not begun and any(running.poll() is None for running in self._begun)

    def begin(
        self, kind: ActKind, length: int = 0, count: int = 1, *, offset: int = 0
    ) -> RunningAct:
        """Have it begin an act; the tester must go on serving.

        Raises:
            Unsupported: there are no such calls, or it need not do that.
            Inconclusive: it cannot be brought to do that.
        """
        require_possible(kind, self.service.profile)
        act, heard = Act(kind, length, count, offset), len(self.service.received)
        running = self._begin(act)
        if self.service.lines and self.service.lines[-1].dropped:
            running = _ActAfterDrop(
                running,
                lambda: self._begin(act),
                lambda: len(self.service.received) > heard,
            )
        self._begun.append(running)
        self._heard = heard  # its first call may have come while it was told
        return running

    def _begin(self, act: Act) -> RunningAct:
        try:
            return self.session.begin(act)
        except Unsupported as error:
            if act.kind in OPTIONAL:
                raise
            raise Inconclusive(f"the client cannot be brought to act ({act}): {error}") from error

    def do(self, kind: ActKind, length: int = 0, count: int = 1, *, offset: int = 0) -> ServedAct:
        """Have it act, and serve it as it should be until that has ended.

        Raises:
            Unsupported: as `begin`.
            Inconclusive: it cannot be brought to do that, or to move so many octets.
            Deviation: it does not come to an end.
        """
        before = len(self.service.received)
        result = self._served(self.begin(kind, length, count, offset=offset))
        if kind in LIMITED and not result.done and len(self.service.received) == before:
            raise Inconclusive(f"the client gave up without making a call: {result}")
        return result

    def good_act(self) -> RunningAct:
        """Begin what shows that it lives.

        Raises:
            Inconclusive: it cannot be brought to do anything.
        """
        for kind in GOOD_ACTS:
            if kind in self.session.acts:
                return self.begin(kind, GOOD_LENGTH if kind is ActKind.READ else 0)
        raise Inconclusive("the client cannot be brought to do anything")

    def serve_good_act(self) -> ServedAct:
        """Have it do that, and serve it: what is granted now reaches it by a reply.

        Raises:
            Inconclusive: it cannot be brought to do anything.
            Deviation: it does not come to an end.
        """
        return self._served(self.good_act())

    def two_at_once(self) -> None:
        """Have it do that twice at once: who needs a program for each has two from then on.

        Raises:
            Inconclusive: it cannot be brought to do anything, or does not.
            Deviation: it does not come to an end.
        """
        acts, held = [], []
        for _ in range(2):
            acts.append(self.good_act())
            held.append(self.service.next_call())
        for call in held:
            self.service.reply(call)
        for act in acts:
            self._served(act).takes(done=True)

    def _served(self, act: RunningAct) -> ServedAct:
        result = self.service.serve_until(act)
        if result.done and all(one.poll() is not None for one in self._begun):
            self.service.done()
        return result

    def abandon(self) -> None:
        """Wait for nothing any longer that it was told to do."""
        for running in self._begun:
            if running.poll() is None:
                running.abandon()
        self._begun.clear()


@dataclass(slots=True)
class _ActAfterDrop:
    """An act that begins after the tester has ended the connection.

    A client that has not seen that yet sends a Call into the connection that is no more, and may
    tell its application that it is lost (D-157).  So an act that fails without a Call having come
    is begun once more: by then the client has seen it.
    """

    running: RunningAct
    again: Callable[[], RunningAct] | None
    has_called: Callable[[], bool]

    def poll(self) -> ActResult | None:
        """Its result, that of the second time if there is one; None while it goes on."""
        result = self.running.poll()
        if result is None or result.done or self.again is None or self.has_called():
            return result
        self.running, self.again = self.again(), None
        return None

    def abandon(self) -> None:
        """Wait for it no longer, and stop it if that can be done without harm."""
        self.running.abandon()
