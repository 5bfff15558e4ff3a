"""Where two devices show other things, and where the first of them is."""

from __future__ import annotations

from conformance.proof.detect.differences import (
    LOOKED_AT,
    Differences,
    Different,
    event_at,
    first_difference,
)
from conformance.proof.detect.shown import Shown, digests
from conformance.proof.detect.sight import Seen

GOOD, OTHER, LAST = (Shown(1, "peer", "Send", data) for data in (b"good", b"other", b"last"))


def differences(openings: tuple[tuple[Shown, ...], ...] = ((),)) -> Differences:
    return Differences({"a": digests((GOOD, LAST))}, openings)


def test_the_same_is_no_difference() -> None:
    held = differences()
    held.compare("a", Seen((), (GOOD, LAST)))

    assert (held.cases, held.first) == (0, [])


def test_the_first_event_that_differs_is_kept() -> None:
    held = differences()
    held.compare("a", Seen((), (GOOD, OTHER)))

    assert (held.cases, held.first) == (1, [Different("a", 1, OTHER)])


def test_nothing_more_is_a_difference() -> None:
    held = differences()
    held.compare("a", Seen((), (GOOD,)))
    held.compare("a", Seen((), (GOOD, LAST, OTHER)))

    assert held.first == [Different("a", 1, None), Different("a", 2, OTHER)]


def test_a_case_in_which_the_reference_is_not_the_same_each_time_tells_nothing() -> None:
    held = differences()
    held.compare("b", Seen((), (OTHER,)))

    assert held.cases == 0


def test_an_opening_is_held_against_the_closest_of_the_references() -> None:
    """It depends on what was run before, and is any of them."""
    held = differences(((LAST,), (GOOD, LAST)))
    held.compare("a", Seen((LAST,), (GOOD, LAST)))
    assert held.cases == 0

    held.compare("a", Seen((GOOD, OTHER), (GOOD, LAST)))

    assert held.first == [Different("a", 1, OTHER, opening=True, reference=LAST)]


def test_all_are_counted_and_some_are_kept() -> None:
    held = differences()
    for _ in range(LOOKED_AT + 2):
        held.compare("a", Seen((), (OTHER,)))

    assert (held.cases, len(held.first)) == (LOOKED_AT + 2, LOOKED_AT)


def test_a_place_behind_the_end_has_no_event() -> None:
    assert event_at((GOOD,), 0) == GOOD
    assert event_at((GOOD,), 1) is None
    assert first_difference(digests((GOOD,)), digests((GOOD, LAST))) == 1
