"""One run's device in the Requester role: started once, prepared when need be, told to act.

It stands between the plugin and a `targets.base.ClientSession`, as
`conformance.tester.client.harness` does for a device that is called, and knows nothing of pytest.
Its one `Service` is where the device connects; each message that arrives there is judged by the
specification's oracle, whatever the case is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.tester.broken import with_broken_rules
from conformance.tester.case import CaseLog, Deviation, Inconclusive, NotServing
from conformance.tester.life_watch import LifeWatch
from conformance.tester.server import Service, Welcome
from conformance.tester.server.acting import ActingClient
from conformance.tester.server.covered import unless_covered
from conformance.tester.server.operations import operations_of_clients
from conformance.tester.server.programs import program_factory
from conformance.tester.wear import timed
from rpcrdma.errors import FabricError
from rpcrdma.fabric.trace import Trace
from targets.base import HasMechanism, TargetError
from targets.profile import timeout_factor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.verdict import SeenMessage
    from conformance.tester.server.received import ReceivedCall
    from conformance.tester.server.served import ServedAct
    from rpcrdma.fabric.base import Address
    from targets.base import ClientSession, ClientTarget

__all__ = ["ClientHarness"]

PREPARE_DEADLINE: Final = 60.0
"""Seconds that connecting may take together with what a client's program does first: starting a
process, or a mount, in a busy machine without KVM."""


class ClientHarness:
    """A running client, and the service that it talks to.

    Attributes:
        target: which device.  profile: its profile.
        session: the running device.  case: notes of the running case.  life: whether it lives.
        service: where it connects.  client: the device as a scenario sees it.
    """

    def __init__(self, target: ClientTarget) -> None:
        self.target = target
        self.profile = target.profile
        self.case = CaseLog()
        self.session: ClientSession = target.start_client()
        session = self.session
        self._mechanism = session.mechanism if isinstance(session, HasMechanism) else None
        self._make_program = program_factory(target.profile, self._mechanism)
        self._prepared = False
        self.life = LifeWatch(lambda: self.session, "client")
        self._stand()

    def _stand(self) -> None:
        """Listen where the client will look for the tester."""
        session = self.session
        self.service = Service(
            session.fabric, session.listen_address, self._make_program, self.profile
        )
        if self._mechanism is not None:
            self.service.replies.mechanism = self._mechanism
        self.service.begin(self.case)
        self.client = ActingClient(session, self.service, [])
        self.service.starting = self.client.starting
        self._prepared = False

    @property
    def address(self) -> Address:
        """Where the tester listens."""
        return self.service.address

    @property
    def trace(self) -> Trace:
        """Of the running case."""
        return self.session.fabric.trace

    def begin(self) -> None:
        """Begin a case: new notes, a new trace, no connection of an earlier one."""
        self.case = CaseLog()
        self.life.begin()
        self.session.fabric.trace = Trace()
        self.service.begin(self.case, keep_connections=self.profile.extra.keep_connection)

    def preflight(self) -> None:
        """See that the client calls at all, though its calls may be faulty."""
        try:
            self.ready()
        except Inconclusive:
            if not self.service.violations:
                raise
        self.life.carry()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What a run's record says of the rig: nothing."""
        return ()

    @property
    def worn(self) -> bool:
        """A client bears any number of cases."""
        return False

    def look(self) -> None:
        """See that the client lives: the files are the tester's own.

        Raises:
            Deviation: it has died since it was last seen.
        """
        self.life.check_untold()

    def time_calls(self, count: int) -> tuple[float, ...]:
        """How long each of some good calls takes (see `conformance.suite.rigs.Rig`)."""
        if not self._prepared or self._problem():  # the first one may have to connect
            return ()
        return timed(self.session.fabric.clock, count, self._problem)

    def ready(self) -> Service:
        """The service, with a client that has just been served what shows that it lives.

        Raises:
            Inconclusive: the client does not call, not even after having been started again.
        """
        self.life.untold()
        problem = self._try()
        if problem:
            problem = self._after_restart(problem)
        if problem and self.session.alive() is not None:
            problem = self._after_restart(problem)  # it has died again at its start
        if problem:
            problem = f"the client does not make a good call before the case: {problem}"
            raise Inconclusive(problem) if self.service.violations else NotServing(problem)
        self.life.served()
        self.client.forget_ended()
        self.case.opened = self.session.fabric.clock.now()
        return self.service

    def ready_two(self) -> Service:
        """The same, with a client that has just been served in Version Two.

        Raises:
            Inconclusive: as above.
            Deviation: it does not speak Version Two, not even to a server that it knows nothing of.
        """
        for _ in range(2):
            self.service.welcome = Welcome(version_one_only=False)
            self.ready()
            if self.service.received[-1].version == VERSION_TWO:
                return self.service
            # A server that refused Version Two in an earlier case is known not to speak it.
            self._prepared = False
        raise Deviation(
            "The client does not offer Version Two to a server that it knows nothing of.",
            expected=("a first message in Version Two",),
            actual=str(self.service.received[-1]),
            breaks=("v2.5.first-message-has-version-two",),
        )

    def fresh(self) -> Service:
        """The service, without a connection: the client's next act makes one, and the first call.

        A client of Version Two has been served in it before.

        Raises:
            Inconclusive: as `ready`.
            Deviation: as `ready_two`.
        """
        speaks_two = VERSION_TWO in self.profile.claims.versions
        service = self.ready_two() if speaks_two else self.ready()
        service.welcome = Welcome(version_one_only=False)
        service.drop()
        service.waiting()
        return service

    def judged(self, found: BaseException | None, cited: tuple[str, ...]) -> BaseException | None:
        """What ended the case, together with the rules that messages of the client broke."""
        found = unless_covered(self.life.judged(found), self.service.received)
        self.case.looked_at = _looked_at(self.service.received)
        broken = (*self.service.violations, *operations_of_clients(self.trace.events))
        return with_broken_rules(found, broken, cited, self.case, "client")

    def renew(self, *, files_too: bool) -> None:
        """Start the client again, though it may call (see `conformance.suite.rigs.Rig`).

        Raises:
            TargetError: it cannot be started from here.
            FabricError: likewise.
        """
        self.service.close()
        try:
            self._restart("", was_alive=False)
        finally:
            self._stand()  # a client that goes on as it was finds the tester as before

    def check_after(self) -> None:
        """See that the client still calls after the case.

        Raises:
            Deviation: it died, or does nothing any more.
        """
        self.life.check()
        if not self._prepared:
            return  # the case did not bring it to connect
        self.service.recover()
        problem = self._problem()
        if problem:
            self.service.drop()
            problem = self._problem()
        if problem:
            self._prepared = False
            raise Deviation(
                f"After the case the client does not make a good call any more: {problem}.",
                expected=("a good call, and its end",),
                actual=problem,
                unanswered=True,
            )

    def numbered(self, text: str) -> str:
        """The text: XIDs are the client's here."""
        return text

    def end(self) -> None:
        """End the case: wait for nothing that the client was told to do."""
        self.client.abandon()

    def close(self) -> None:
        """Stop the client and the service."""
        self.service.close()
        self.session.close()

    def prepare(self) -> ServedAct:
        """Have the client connect anew and do what its program does first; serve it meanwhile.

        Raises:
            Deviation: it does not come to an end.
        """
        self._prepared = True
        running = self.session.prepare(self.service.address)
        return self.service.serve_until(running, PREPARE_DEADLINE * timeout_factor())

    def _try(self) -> str:
        """Bring the client to be ready; returns what is wrong, if anything."""
        died = self.session.alive()
        if died:
            return died
        if self._prepared:
            problem = self._problem()
            if not problem:
                return ""
            if died := self.session.alive():
                return died
            self.case.remark(f"The client had to connect anew before the case: {problem}.")
        try:
            result = self.prepare()
        except Deviation as error:
            self._prepared = False
            return error.reason
        if not result.done:
            self._prepared = False
            mishap = self.service.mishap and f" ({self.service.mishap})"
            return f"it cannot be prepared: {result.detail}{mishap}"
        result.takes(done=True)
        return self._problem()

    def _problem(self) -> str:
        """Have the client make a good call; returns what is wrong, if anything."""
        try:
            result = self.service.serve_until(self.client.good_act())
        except (Deviation, Inconclusive) as error:
            return str(error)
        result.takes(done=True)
        return "" if result.done else result.detail

    def _after_restart(self, problem: str) -> str:
        self.life.untold()  # it may have died since it was last asked
        was_alive = self.session.alive() is None
        self.service.close()
        try:
            self._restart(problem, was_alive=was_alive)
        except (TargetError, FabricError) as error:
            return f"{problem}; {error}"
        self._stand()
        return self._try()

    def _restart(self, problem: str, *, was_alive: bool) -> None:
        trace = self.trace
        self.session.restart()
        self.session.fabric.trace = trace
        self.life.started(problem, was_alive=was_alive)


def _looked_at(received: Sequence[ReceivedCall]) -> SeenMessage | None:
    """The message that a verification has judged last; where none has, the last that came."""
    judged = [call for call in received if call.verdicts] or received
    return judged[-1].seen if judged else None
