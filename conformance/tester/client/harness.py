"""One run's device: started once, connected to as often as cases ask, started again when it died.

The harness stands between the plugin and a `targets.base.Session`; it knows nothing of pytest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered
from conformance.tester.broken import with_broken_rules
from conformance.tester.case import CaseLog, Deviation, Inconclusive, NotServing
from conformance.tester.claimed import device_of
from conformance.tester.client import build, liveness
from conformance.tester.client.file_watch import FileWatch
from conformance.tester.client.operations import operations_after_replies
from conformance.tester.client.peer import RECEIVE_LENGTH, RECEIVES, Peer
from conformance.tester.life_watch import LifeWatch
from conformance.tester.wear import timed
from conformance.tester.workload.base import Prepared
from conformance.tester.workload.choice import workload_for
from conformance.tester.xids import Xids
from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import ConnectionParameters
from rpcrdma.fabric.segments import one_segment
from rpcrdma.fabric.trace import Trace
from targets.base import HasInitiator, Renewable, TargetError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.device import Device
    from conformance.oracle.verdict import BrokenRule
    from conformance.tester.sent import Request
    from rpcrdma.ulp.gss_context import GssInitiator
    from targets.base import Session, Target

__all__ = ["Harness"]

FIRST_ANSWER: Final = "v2.5.1.answer-is-no-error"

FOR_EVER: Final = 7
"""How often a Send that finds no Receive is tried again, in the words of the verbs."""

_RETRY: Final = 6
"""Both ends' patience with a silent peer; 7, which Soft-RoCE takes for no end, would let a device
whose answers nobody takes wait for ever."""


class Harness:
    """A running device and the connections of the running case.

    Attributes:
        target: which device.  profile: its profile.  workload: calls of its binding.
        session: the running device.  case: notes of the running case.
        xids: of the calls of all its cases.  files: of the device, which no case writes.
        life: watches whether the device lives.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.session: Session = target.start()
        self.profile = target.profile  # a target may learn more of its device as that starts
        self.workload = workload_for(self.profile, self._initiator)
        self.files = FileWatch(self.workload)
        self.case = CaseLog()
        self.xids = Xids()
        self.life = LifeWatch(lambda: self.session, "device")
        self._peers: list[Peer] = []
        self._spare: Peer | None = None
        self._broken: list[BrokenRule] = []
        self._connected = 0

    def _initiator(self) -> GssInitiator | None:
        session = self.session
        return session.initiator if isinstance(session, HasInitiator) else None

    def begin(self) -> None:
        """Begin a case: new notes, a new trace, XIDs that no case had before."""
        self.go_on()
        self.xids.begin()

    def go_on(self) -> None:
        """Begin what is judged by itself, with XIDs that follow those of what was before."""
        self.case = CaseLog()
        self._broken = []
        self.life.begin()
        self.session.fabric.trace = Trace()

    @property
    def device(self) -> Device:
        """What the profile claims, for the oracle."""
        return device_of(self.profile)

    @property
    def trace(self) -> Trace:
        """Of the running case."""
        return self.session.fabric.trace

    def preflight(self) -> None:
        """See that the device serves at all, and get what calls need; raises as `ready_peer`."""
        peer = self.ready_peer()
        self.life.carry()
        self._prepare(peer)
        self.files.begin(peer)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What a run's record says of the rig."""
        facts = self.files.facts
        if most := self.profile.extra.renew_after:
            facts += (("started again", f"after {most} connections, as the profile says"),)
        return facts

    @property
    def worn(self) -> bool:
        """Whether the device has had as many connections as it bears (`renew_after`)."""
        return 0 < self.profile.extra.renew_after <= self._connected

    def look(self) -> None:
        """See that the device's files hold what they did, in a trace of its own.

        Raises:
            Deviation: they do not, or the device has died since it was last seen.
            Inconclusive: that cannot be seen.
        """
        self.life.check_untold()
        if self.files.watched:
            self.files.look(self.ready_peer())

    def time_calls(self, count: int) -> tuple[float, ...]:
        """How long each of some good calls takes (see `conformance.suite.rigs.Rig`).

        They are made on a connection that is there, if one is: to a device that keeps something of
        each connection it makes a difference how many there are.
        """
        peer = next((one for one in self._peers if one.connected), None) or self._try()[0]
        if peer is None:
            return ()
        return timed(self.session.fabric.clock, count, partial(liveness.problem_with, peer))

    def judged(self, found: BaseException | None, cited: tuple[str, ...]) -> BaseException | None:
        """What ended the case, together with the rules that messages of the device broke."""
        found = self.life.judged(found)
        broken = (*self._broken, *operations_after_replies(self.trace.events))
        return with_broken_rules(found, broken, cited, self.case, "device")

    def numbered(self, text: str) -> str:
        """The text with the numbers of the case's calls in place of their XIDs (see `Xids`)."""
        return self.xids.numbered(text)

    def connect(
        self,
        *,
        receives: int = RECEIVES,
        receive_length: int = RECEIVE_LENGTH,
        reposts: bool = True,
        private_data: bytes = b"",
        rnr_retry: int = FOR_EVER,
        retry: int = _RETRY,
        version: int | None = None,
    ) -> Peer:
        """A new connection, on which nothing has been sent.

        Args:
            receives: posted before anything can come.
            receive_length: octets of each.
            reposts: whether each that completes is posted again.
            private_data: octets that travel with the request for the connection.
            rnr_retry: how often a Send that finds no Receive is tried again; with 0 it costs the
                connection, so that a device must have posted a Receive before.
            retry: how often what nobody acknowledges is sent again, by either end.
            version: of what is built for it; None: the lowest that the profile claims.

        Raises:
            Deviation: the device does not accept it.
            Unsupported: the profile does not claim so many at one time.
        """
        self._make_room()
        parameters = ConnectionParameters(
            private_data=private_data,
            initial_receives=(one_segment(receive_length),) * receives,
            rnr_retry=rnr_retry,
            retry=retry,
        )
        session = self.session
        self._connected += 1
        try:
            connection = session.fabric.connect(
                session.address, parameters, self.profile.connect_deadline
            )
        except FabricError as error:
            raise Deviation(
                f"The device does not accept a connection: {error}.",
                expected=("a connection",),
                actual=str(error),
                unanswered=True,
            ) from error
        peer = Peer(
            connection,
            self.profile,
            self.workload,
            self.case,
            self.xids,
            receive_length=receive_length,
            reposts=reposts,
            version=min(self.profile.claims.versions) if version is None else version,
        )
        self._peers.append(peer)
        return peer

    def ready_peer(self) -> Peer:
        """A connection on which a good call has just been answered.

        Raises:
            NotServing: the device does not serve, not even after having been started again.
            Deviation: it has served in this case, and is dead.
        """
        self.life.untold()
        peer, problem = self._try()
        if peer is None and self.session.alive() is None:
            # What costs one connection may spare the next, and is no reason to start it again.
            at_first = problem
            peer, problem = self._try()
            if peer is not None:
                self.case.remark(f"The first connection before the case was of no use: {at_first}.")
        if peer is None:
            peer, problem = self._after_restart(problem)
        if peer is None and self.session.alive() is not None:
            peer, problem = self._after_restart(problem)  # it has died again at its start
        if peer is None:
            raise NotServing(f"the device does not serve a good call before the case: {problem}")
        self.life.served()
        return peer

    def see_that_it_serves(self) -> None:
        """Have a good call answered, so that a refusal now is the device's answer to the case.

        Raises:
            Inconclusive: the device does not serve, not even after having been started again.
        """
        self._spare = self.ready_peer()

    def ready_peer_two(self) -> Peer:
        """A connection on which a good call in Version Two has just been answered.

        Raises:
            Inconclusive: the device does not serve at all.
            Deviation: it serves, but not in Version Two.
        """
        self.ready_peer()
        self.end()  # so that the liveness check after the case is made on the connection in Two
        peer = self.connect(version=2)
        problem = liveness.problem_with(peer)
        if problem:
            raise Deviation(
                f"The first good call in Version Two is not served: {problem}.",
                expected=("a reply to NULL",),
                actual=problem,
                breaks=(FIRST_ANSWER,),
            )
        return peer

    def renew(self, *, files_too: bool) -> None:
        """Start the device again, though it may serve (see `conformance.suite.rigs.Rig`).

        Args:
            files_too: its files are to be as they were at first.

        Raises:
            TargetError: it cannot be started from here, or does not serve afterwards.
            FabricError: likewise.
        """
        session = self.session
        again = session.restart
        if files_too and isinstance(session, Renewable):
            again = session.renew
        self._restart("", was_alive=False, again=again)
        peer, problem = self._try_anew()
        if peer is None:
            raise TargetError(problem)
        self._give_up(peer)

    def check_after(self) -> None:
        """See that the device still serves after the case.

        Raises:
            Deviation: it does not.
        """
        self.life.check()
        connected = next((peer for peer in self._peers if peer.connected), None)
        liveness.still_serves(connected, self.connect)

    def end(self) -> None:
        """End the case: close its connections."""
        for peer in tuple(self._peers):
            self._give_up(peer)
        self._spare = None

    def close(self) -> None:
        """Stop the device."""
        self.end()
        self.session.close()

    def _try(self) -> tuple[Peer | None, str]:
        died = self.session.alive()
        if died:
            return None, died
        try:
            peer = self.connect()
        except Deviation as error:
            return None, error.reason
        problem = liveness.problem_with(peer)
        if not problem:
            return peer, ""
        self._give_up(peer)
        return None, problem

    def _make_room(self) -> None:
        """See that one more connection is within the claims; what no case uses is ended for it."""
        most = self.profile.claims.connections
        if self._spare is not None and self._open >= most:
            self._give_up(self._spare)
            self._spare = None
        if self._open >= most:
            raise Unsupported(f"the profile claims `connections` = {most} at one time")

    @property
    def _open(self) -> int:
        return sum(peer.connected for peer in self._peers)

    def _give_up(self, peer: Peer) -> None:
        self._broken += peer.broken()
        peer.close()
        self._peers.remove(peer)

    def _after_restart(self, problem: str) -> tuple[Peer | None, str]:
        self.life.untold()  # it may have died since it was last asked
        try:
            self._restart(problem, was_alive=self.session.alive() is None)
        except (TargetError, FabricError) as error:
            return None, f"{problem}; {error}"
        return self._try_anew()

    def _restart(
        self, problem: str, *, was_alive: bool, again: Callable[[], None] | None = None
    ) -> None:
        trace = self.trace
        (again or self.session.restart)()
        self._connected = 0
        self.session.fabric.trace = trace
        self.life.started(problem, was_alive=was_alive)

    def _try_anew(self) -> tuple[Peer | None, str]:
        """A connection to a device that was started again, and what calls to it need."""
        peer, problem = self._try()
        if peer is not None:
            try:
                self._prepare(peer)
                self.files.renew()
            except Inconclusive as error:
                return None, str(error)
        return peer, problem

    def _prepare(self, peer: Peer) -> None:
        if isinstance(self.workload, Prepared):
            self.workload.prepare(_Preparing(peer))


@dataclass(frozen=True, slots=True)
class _Preparing:
    """The calls that a workload makes for itself, on a connection that belongs to no case."""

    peer: Peer

    def reply_to(self, request: Request) -> bytes:
        """The payload of the reply to a Short call; empty if none came."""
        self.peer.send(build.short(self.peer, request))
        outcome = self.peer.receive()
        return outcome.payload if isinstance(outcome, Answered) else b""

    def wait(self, seconds: float) -> None:
        """Let time pass; whatever comes meanwhile is dropped."""
        self.peer.receive(seconds)
