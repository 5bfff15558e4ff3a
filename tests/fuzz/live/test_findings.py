"""What is kept of what was found, with a function in the device's place."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from conformance.explore.finding import load
from conformance.tester.case import Inconclusive
from fuzz.live.causes import DIED
from fuzz.live.execution import LiveExecution
from fuzz.live.findings import MESSAGES, LiveFindings
from fuzz.responder_executor import good_call
from fuzz.sequence import join, split
from tests.fuzz.live.fakes import FakeExecutor, answered, failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BAD = b"\0\0\0\1bad!"
WRONG = failed("silence", "a.1.rule")
DEATH = LiveExecution((), "oops", "oops", "", "[ 1.0] oops\n", frozenset({"a class"}))


def findings(
    folder: Path,
    does: Callable[[list[bytes]], LiveExecution],
    clock: Callable[[], float] = lambda: 0.0,
) -> tuple[LiveFindings, FakeExecutor]:
    executor = FakeExecutor(does)
    found = LiveFindings(executor, folder, MESSAGES, "device", 7, clock)  # type: ignore[arg-type]
    return found, executor


def has_bad(messages: list[bytes]) -> bool:
    return any(message.endswith(b"bad!") for message in messages)


def test_the_first_of_each_cause_is_kept_smaller_and_others_are_counted(tmp_path: Path) -> None:
    found, _ = findings(tmp_path, lambda all_: WRONG if has_bad(all_) else answered())
    octets = join([good_call(5), BAD, good_call(6)])
    for _ in range(3):
        assert found.look(WRONG, [octets])
    (kept,) = found.kept.values()
    assert (kept.count, kept.shown_again, found.deaths) == (3, True, 0)
    finding = load(kept.file)
    assert (finding.way, finding.target, finding.seed) == ("v1-responder", "device", 7)
    assert finding.broken == ("a.1.rule",)
    (message,) = split(finding.octets)
    assert message == (0x7000_0001).to_bytes(4, "big") + b"bad!"


def test_nothing_wrong_is_nothing_found(tmp_path: Path) -> None:
    found, executor = findings(tmp_path, lambda _: answered())
    assert not found.look(answered("a Reply"), [join([BAD])])
    assert (found.kept, executor.ran_alone) == ({}, [])


def test_an_answer_that_does_not_fail_again_is_looked_at_three_times(tmp_path: Path) -> None:
    found, executor = findings(tmp_path, lambda _: answered())
    for _ in range(5):
        found.look(WRONG, [join([BAD])])
    assert found.kept == {}
    assert len(executor.ran_alone) == 3


def test_a_smaller_sequence_that_fails_in_haste_alone_is_not_kept(tmp_path: Path) -> None:
    sequence = [good_call(5), BAD]
    found, executor = findings(
        tmp_path,
        lambda all_: WRONG if len(all_) == 2 or not executor.is_patient else answered(),
    )
    found.look(WRONG, [join(sequence)])
    (kept,) = found.kept.values()
    assert len(split(load(kept.file).octets)) == 2


def test_time_for_making_smaller_is_limited(tmp_path: Path) -> None:
    found, executor = findings(tmp_path, lambda _: WRONG, count(0.0, 3.0).__next__)
    found.look(WRONG, [join([good_call(xid) for xid in range(1, 40)])])
    assert len(executor.ran_alone) < 5
    assert len(found.kept) == 1


def test_a_death_keeps_the_console_and_has_its_kind_kept_back(tmp_path: Path) -> None:
    found, executor = findings(tmp_path, lambda all_: DEATH if has_bad(all_) else answered())
    found.look(DEATH, [join([good_call(1)]), join([good_call(2), BAD])])
    (kept,) = found.kept.values()
    assert kept.shown_again
    assert kept.file.with_suffix(".console.log").read_text() == "[ 1.0] oops\n"
    assert executor.avoided == {"a class"}
    assert len(split(load(kept.file).octets)) == 1
    assert found.deaths > 1  # the tries count, too


def test_a_death_of_two_inputs_is_kept_with_both(tmp_path: Path) -> None:
    first, second = good_call(1), good_call(2)

    def does(messages: list[bytes]) -> LiveExecution:
        return DEATH if {first, second} <= set(messages) else answered()

    found, _ = findings(tmp_path, does)
    found.look(DEATH, [join([first]), join([good_call(3)]), join([second])])
    (kept,) = found.kept.values()
    assert len(split(load(kept.file).octets)) == 2


def test_a_death_that_nobody_can_bring_about_again_is_kept_all_the_same(tmp_path: Path) -> None:
    found, _ = findings(tmp_path, lambda _: answered())
    found.look(DEATH, [join([good_call(1)]), join([good_call(2)])])
    (kept,) = found.kept.values()
    assert (kept.cause.broken, kept.shown_again) == ((DIED,), False)
    assert len(split(load(kept.file).octets)) == 2


def test_the_last_that_a_device_did_is_kept_where_it_cannot_be_started_again(
    tmp_path: Path,
) -> None:
    def gone(_: list[bytes]) -> LiveExecution:
        raise Inconclusive("it is gone")

    found, _ = findings(tmp_path, gone)
    with pytest.raises(Inconclusive):
        found.look(DEATH, [join([good_call(1)]), join([good_call(2)])])
    (kept,) = found.kept.values()
    assert not kept.shown_again
    assert len(split(load(kept.file).octets)) == 2


def test_an_answer_that_failed_once_is_no_finding_where_the_device_is_gone(
    tmp_path: Path,
) -> None:
    def gone(_: list[bytes]) -> LiveExecution:
        raise Inconclusive("it is gone")

    found, _ = findings(tmp_path, gone)
    with pytest.raises(Inconclusive):
        found.look(WRONG, [join([BAD])])
    assert found.kept == {}


def test_what_cannot_be_made_smaller_since_the_device_is_gone_is_kept_as_it_is(
    tmp_path: Path,
) -> None:
    left = count(1, -1)

    def gone_soon(_: list[bytes]) -> LiveExecution:
        if next(left) <= 0:
            raise Inconclusive("it is gone")
        return DEATH

    found, _ = findings(tmp_path, gone_soon)
    with pytest.raises(Inconclusive):
        found.look(DEATH, [join([good_call(1), BAD])])
    (kept,) = found.kept.values()
    assert kept.shown_again
    assert len(split(load(kept.file).octets)) == 2


def test_another_death_that_comes_instead_is_kept_beside(tmp_path: Path) -> None:
    other = LiveExecution((), "panic", "panic", "", "[ 9.0] panic\n", frozenset({"another"}))
    deaths = iter((other, DEATH))
    found, executor = findings(
        tmp_path, lambda all_: next(deaths, DEATH) if has_bad(all_) else answered()
    )
    found.look(DEATH, [join([good_call(1)]), join([BAD])])
    seen = {one.cause.detail: one for one in found.kept.values()}
    assert (seen["oops"].shown_again, seen["panic"].shown_again) == (True, False)
    assert seen["panic"].file.with_suffix(".console.log").read_text() == "[ 9.0] panic\n"
    assert executor.avoided == {"a class", "another"}
