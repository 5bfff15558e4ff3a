"""Signs of life of a device that is made up."""

from __future__ import annotations

from conformance.tester.life_watch import LifeWatch
from fuzz.live.vitals import Vitals


class FakeSession:
    """A session whose machine prints, and dies when it is told to."""

    def __init__(self) -> None:
        self.printed = ["[ 1.0] booted\n"]
        self.how: str | None = None

    def alive(self) -> str | None:
        """How it died."""
        return self.how

    def console(self) -> str:
        """What was printed."""
        return "".join(self.printed)


def watched() -> tuple[FakeSession, Vitals]:
    session = FakeSession()
    vitals = Vitals(LifeWatch(lambda: session, "client"), lambda: session, 0.0)
    vitals.begun()
    return session, vitals


def test_what_is_printed_is_looked_at_once() -> None:
    session, vitals = watched()
    session.printed.append("[ 2.0] WARNING: CPU: 0 PID: 7 at net/a.c:9 f+0x1/0x2\n")
    complained = vitals.execution((), "", {"a class"})
    assert complained.complaint.startswith("warning: WARNING: CPU: 0")
    assert complained.console == session.console()
    assert complained.dangers == {"a class"}
    assert (complained.died, complained.unserved) == ("", "")
    assert vitals.execution((), "", ()).complaint == ""


def test_a_death_goes_before_another_problem() -> None:
    session, vitals = watched()
    assert vitals.execution((), "it is silent", ()).unserved == "it is silent"
    session.how = "oops"
    execution = vitals.execution((), "it is silent", ())
    assert (execution.unserved, execution.died) == ("oops", "oops")
    vitals.look()
    assert vitals.take_late() is None  # it was told


def test_a_death_when_nobody_looks_is_told_of_one_that_seemed_alive() -> None:
    session, vitals = watched()
    vitals.look()
    assert vitals.take_late() is None
    session.how = "oops"
    vitals.look()
    unseen = vitals.take_late()
    assert unseen is not None
    assert (unseen.outcomes, unseen.died) == ((), "oops")
