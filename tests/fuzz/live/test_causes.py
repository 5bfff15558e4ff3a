"""What is wrong after a sequence, by causes."""

from __future__ import annotations

from fuzz.live.causes import COMPLAINED, DIED, NOT_SERVED, causes_of, without_numbers
from fuzz.live.execution import LiveExecution
from tests.fuzz.live.fakes import answered, failed

CONSOLE = """\
[   13.1] BUG: kernel NULL pointer dereference, address: 0000000000000010
[   13.2] RIP: 0010:svc_example+0x9e/0xa0
"""
DEATH = "oops in the kernel: BUG: kernel NULL pointer dereference, address: 0000000000000010"


def test_nothing_is_wrong_where_all_answers_are_allowed() -> None:
    assert causes_of(answered("a Reply")) == ()


def test_a_death_is_told_by_where_the_kernel_was() -> None:
    (cause,) = causes_of(LiveExecution((), DEATH, DEATH, "", CONSOLE))
    assert cause.broken == (DIED,)
    assert cause.is_grave
    assert cause.what.endswith("address: N in svc_example")
    assert cause.detail == f"{DEATH} in svc_example"


def test_deaths_at_other_addresses_are_of_one_cause_and_elsewhere_of_another() -> None:
    one, other, elsewhere = (
        causes_of(LiveExecution((), death, death, "", console))[0].key
        for death, console in (
            (DEATH, CONSOLE),
            (DEATH.replace("10", "18"), CONSOLE.replace("0x9e", "0x10")),
            (DEATH, CONSOLE.replace("svc_example", "svc_other")),
        )
    )
    assert one == other != elsewhere


def test_a_device_that_lives_and_serves_nobody_has_one_cause() -> None:
    causes = [causes_of(LiveExecution((), why)) for why in ("NULL got silence", "refused")]
    assert {cause.key for (cause,) in causes} == {(NOT_SERVED, "")}
    assert [cause.detail for (cause,) in causes] == ["NULL got silence", "refused"]


def test_what_a_kernel_complains_of_and_survives_is_not_grave() -> None:
    execution = LiveExecution((), complaint="warning: WARNING: CPU: 0 PID: 77 at a.c:9 f+0x1/0x2")
    (cause,) = causes_of(execution)
    assert cause.broken == (COMPLAINED,)
    assert not cause.is_grave
    assert "77" not in cause.what


def test_answers_are_told_apart_by_requirements_or_else_by_words_without_numbers() -> None:
    assert causes_of(failed("an answer of 40 octets", "a.1.rule"))[0].key == ("a.1.rule", "")
    (cause,) = causes_of(failed("2 answers to 1 messages of XID 0x12345678"))
    assert cause.key == ("oracle", "N answers to N messages of XID N")
    assert cause.detail == "7 octets: 2 answers to 1 messages of XID 0x12345678"


def test_words_stay_where_numbers_go() -> None:
    assert without_numbers("a bad face at 0x1f, 12 of 0a0b") == "a bad face at N, N of N"
