"""The event queue: order, virtual time, turns."""

from __future__ import annotations

from rpcrdma.fabric.schedule import Schedule


def never() -> bool:
    return False


def test_events_run_by_time_then_by_planning() -> None:
    """Equal moments keep the order in which they were planned."""
    schedule = Schedule()
    ran: list[str] = []
    schedule.after(2.0, lambda: ran.append("late"))
    schedule.after(1.0, lambda: ran.append("first"))
    schedule.after(1.0, lambda: ran.append("second"))
    schedule.wait(never, 3.0)

    assert ran == ["first", "second", "late"]
    assert schedule.clock.now() == 3.0


def test_wait_ends_as_soon_as_it_is_over() -> None:
    """Time stands at the event that ended the wait; later ones are still to come."""
    schedule = Schedule()
    ran: list[int] = []
    schedule.after(1.0, lambda: ran.append(1))
    schedule.after(2.0, lambda: ran.append(2))

    assert schedule.wait(lambda: bool(ran), 5.0)
    assert (ran, schedule.clock.now()) == ([1], 1.0)


def test_events_behind_the_deadline_wait() -> None:
    """A wait that is over in vain leaves them alone."""
    schedule = Schedule()
    ran: list[int] = []
    schedule.after(2.0, lambda: ran.append(2))

    assert not schedule.wait(never, 1.0)
    assert (ran, schedule.clock.now()) == ([], 1.0)


def test_steps_have_their_turn_after_every_event() -> None:
    """Each event is seen before the next one runs."""
    schedule = Schedule()
    ran: list[int] = []
    seen: list[int] = []
    schedule.attach(schedule, lambda: seen.append(len(ran)))
    schedule.after(1.0, lambda: ran.append(1))
    schedule.after(2.0, lambda: ran.append(2))
    schedule.wait(never, 3.0)

    assert sorted(set(seen)) == [0, 1, 2]


def test_step_goes_on_while_it_changes_something() -> None:
    """A step that takes up one thing at a time is called until it has none."""
    schedule = Schedule()
    work = [1, 2, 3]

    def step() -> None:
        if work:
            work.pop()
            schedule.note_activity()

    schedule.attach(schedule, step)
    schedule.wait(never, 0.0)

    assert work == []


def test_step_that_is_never_content_does_not_stop_the_world() -> None:
    """Turns between two events are bounded."""
    schedule = Schedule()
    schedule.attach(schedule, schedule.note_activity)

    assert not schedule.wait(never, 1.0)


def test_step_is_not_entered_while_it_waits() -> None:
    """A wait inside a step gives turns to the others only."""
    schedule = Schedule()
    turns: list[str] = []

    def waits() -> None:
        turns.append("waits")
        schedule.wait(never, 0.5)

    schedule.attach(schedule, waits)
    schedule.attach(schedule, lambda: turns.append("other"))
    schedule.wait(lambda: bool(turns), 0.0)

    assert turns == ["waits", "other", "other", "other"]
    assert schedule.clock.now() == 0.5


def test_detached_steps_have_no_turn() -> None:
    """Only those of the given owner go."""
    schedule = Schedule()
    turns: list[str] = []
    gone, stays = object(), object()
    schedule.attach(gone, lambda: turns.append("gone"))
    schedule.attach(stays, lambda: turns.append("stays"))
    schedule.detach(gone)
    schedule.wait(lambda: True, 0.0)

    assert turns == ["stays"]


def test_spinning_without_waiting_gets_to_a_deadline() -> None:
    """Outermost waits of no time still take a little, so that a loop by the clock ends."""
    schedule = Schedule()
    for _ in range(1000):
        schedule.wait(never, 0.0)

    assert schedule.clock.now() >= 0.0009
