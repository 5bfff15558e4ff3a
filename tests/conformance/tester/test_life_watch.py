"""Deaths are told once, and to the case that they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.life_watch import LifeWatch
from targets.base import Unsupported

DEATH = "oops in the kernel: BUG"


@dataclass
class Silent:
    """A session that lives or not."""

    death: str | None = None

    def alive(self) -> str | None:
        return self.death


class Speaking(Silent):
    """One in a machine with a console."""

    def console(self) -> str:
        return "BUG\n"


def over(session: Silent) -> LifeWatch:
    """A case has begun in which the device has served."""
    life = LifeWatch(lambda: session, "device")
    life.begin()
    life.served()
    return life


def test_a_device_that_lives_is_no_matter() -> None:
    life = over(Silent())
    life.check()
    life.check_untold()
    assert life.untold() == ""
    assert life.judged(None) is None
    assert (life.death(), life.console) == ("", "")


def test_each_start_is_counted() -> None:
    life = over(Silent())
    for starts in (1, 2):
        life.started("no answer", was_alive=True)
        life.begin()
        assert life.starts == starts


def test_what_the_machine_had_printed_is_kept_for_the_case_that_tells_of_the_death() -> None:
    life = over(Speaking(DEATH))
    with pytest.raises(Deviation) as found:
        life.check()
    assert found.value.reason == f"The device died: {DEATH}."
    assert (found.value.expected, found.value.actual) == (("a living device",), DEATH)
    assert life.console == "BUG\n"
    life.begin()
    assert life.death() == DEATH
    assert life.console == ""


def test_a_session_without_a_console_leaves_none() -> None:
    life = over(Silent(DEATH))
    assert life.death() == DEATH
    assert life.console == ""


@pytest.mark.parametrize("found", [None, Inconclusive("no packet"), Unsupported("no call")])
def test_what_a_case_did_not_come_to_say_is_that_the_device_died(
    found: BaseException | None,
) -> None:
    judged = over(Silent(DEATH)).judged(found)
    assert isinstance(judged, Deviation)
    assert (judged.reason, judged.unanswered) == (f"The device died: {DEATH}.", True)


def test_what_a_case_has_found_is_told_before_that() -> None:
    before = Deviation("Wrong.", expected=("right",), actual="wrong", breaks=("one",))
    judged = over(Silent(DEATH)).judged(before)
    assert isinstance(judged, Deviation)
    assert judged.reason == f"Wrong. The device died: {DEATH}."
    assert (judged.expected, judged.actual, judged.breaks) == (("right",), "wrong", ("one",))


def test_our_own_fault_stays_ours() -> None:
    ours = KeyError("ours")
    assert over(Silent(DEATH)).judged(ours) is ours


def test_a_death_is_told_once_for_each_life() -> None:
    session = Silent(DEATH)
    life = over(session)
    assert life.death() == DEATH
    assert life.judged(None) is None
    assert life.untold() == ""
    life.check_untold()
    life.started(DEATH, was_alive=False)
    assert life.lapse == ""
    with pytest.raises(Deviation, match="died"):
        life.check_untold()


def test_a_case_in_which_the_device_has_not_served_is_not_blamed() -> None:
    life = over(Silent(DEATH))
    life.begin()
    assert life.judged(None) is None
    assert life.untold() == DEATH
    assert (life.died, life.died_before) == ("", DEATH)
    life.begin()
    assert life.died_before == ""


def test_a_death_is_known_in_the_case_that_tells_of_it() -> None:
    life = over(Silent(DEATH))
    life.judged(None)
    assert (life.died, life.died_before) == (DEATH, "")
    life.begin()
    assert life.died == ""


def test_what_was_found_before_the_first_case_is_told_in_it() -> None:
    life = LifeWatch(lambda: Silent(DEATH), "device")
    life.begin()
    life.untold()
    life.carry()
    life.begin()
    assert life.died_before == DEATH
    life.begin()
    assert life.died_before == ""


def test_a_case_that_looks_for_a_device_that_it_has_killed_is_blamed() -> None:
    with pytest.raises(Deviation, match=f"The device died: {DEATH}"):
        over(Silent(DEATH)).untold()


def test_a_device_that_lived_and_was_started_again_has_lapsed_until_the_next_case() -> None:
    life = over(Silent())
    life.started("no answer", was_alive=True)
    life.started("still none", was_alive=True)
    assert life.lapse == "no answer"
    life.begin()
    assert life.lapse == ""


def test_what_never_served_has_not_ceased_to() -> None:
    life = LifeWatch(Silent, "device")
    life.begin()
    life.started("no answer", was_alive=True)
    assert life.lapse == ""
