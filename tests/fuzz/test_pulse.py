from __future__ import annotations

from functools import reduce

from fuzz.pulse import Pulse, after_line, together

LINES = (
    "INFO: Running with entropic power schedule (0xFF, 100).",
    "#2\tINITED cov: 314 ft: 315 corp: 1/1b exec/s: 0 rss: 94Mb",
    "FINDING 1: findings/v1-header-round-trip-04dd3ac1f3fb.json",
    "#512\tpulse  cov: 320 ft: 340 corp: 7/90b lim: 4 exec/s: 256 rss: 94Mb",
    "#600\tNEW    cov: 330 ft: 350 corp: 8/99b lim: 4 exec/s: 300 rss: 94Mb L: 9/9",
    "stat::number_of_executed_units: 777",
)


def test_each_line_tells_what_it_says_and_leaves_the_rest() -> None:
    pulses = [Pulse()]
    for line in LINES:
        pulses.append(after_line(pulses[-1], line))

    assert pulses[1] == Pulse()
    assert pulses[2] == Pulse(2, 0, 314, 1, 0, has_begun=True)
    assert pulses[3].findings == 1
    assert pulses[4] == Pulse(512, 256, 320, 7, 1, has_begun=True)
    assert pulses[6] == Pulse(777, 300, 330, 8, 1, has_begun=True)


def test_a_pulse_is_one_line_for_people() -> None:
    told = str(reduce(after_line, LINES, Pulse()))

    assert told == "777 executions, 300 a second, coverage 330, corpus 8, 1 finding"


def test_processes_add_executions_and_findings_and_share_what_they_reach() -> None:
    first = Pulse(100, 10, 330, 8, 1, has_begun=True)
    second = Pulse(50, 20, 320, 9, 2, has_begun=False)

    assert together([first]) == first
    assert together([first, second]) == Pulse(150, 30, 330, 9, 3, has_begun=False)
