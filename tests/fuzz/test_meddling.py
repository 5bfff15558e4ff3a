"""Messages that are changed on their way."""

from __future__ import annotations

import pytest

from fuzz.end_steps import EndAct, EndStep
from fuzz.meddling import Meddler

MESSAGE = bytes(range(40))
HEADER = bytes.fromhex("00000007 00000001 00000020 00000000") + bytes(12)


@pytest.mark.parametrize(
    ("step", "sent"),
    [
        (
            EndStep(act=EndAct.WORD, place=1, value=0xAABBCCDD),
            [MESSAGE[:4] + b"\xaa\xbb\xcc\xdd" + MESSAGE[8:]],
        ),
        (EndStep(act=EndAct.REPLACE, carried=b"12345678"), [MESSAGE[:4] + b"5678"]),
        (EndStep(act=EndAct.INSERT, carried=b"12345678"), [MESSAGE, MESSAGE[:4] + b"5678"]),
        (EndStep(act=EndAct.CUT, length=39), [MESSAGE[:1]]),
        (EndStep(act=EndAct.CUT, length=99), [MESSAGE[:1]]),
        (EndStep(act=EndAct.REPEAT), [MESSAGE, MESSAGE]),
        (EndStep(act=EndAct.LOSE), []),
    ],
)
def test_a_message_becomes_what_the_step_says(step: EndStep, sent: list[bytes]) -> None:
    meddler = Meddler()
    meddler.plan(step)

    assert meddler.passed(MESSAGE) == sent
    assert meddler.meddled
    assert meddler.passed(MESSAGE) == [MESSAGE]


def test_a_later_message_can_be_meant() -> None:
    meddler = Meddler()
    meddler.plan(EndStep(act=EndAct.LOSE, which=4))

    assert [len(meddler.passed(MESSAGE)) for _ in range(4)] == [1, 1, 0, 1]


def test_an_edit_keeps_to_the_structure_and_is_the_same_each_time() -> None:
    made = set()
    for value in range(20):
        edit = EndStep(act=EndAct.EDIT, value=value)
        for _ in range(2):
            meddler = Meddler()
            meddler.plan(edit)
            made.add((value, *meddler.passed(HEADER)))

    assert len(made) == 20
    assert len({message for _, message in made}) > 5


def test_what_is_given_up_changes_nothing() -> None:
    meddler = Meddler()
    meddler.plan(EndStep(act=EndAct.LOSE))
    meddler.give_up()

    assert meddler.passed(MESSAGE) == [MESSAGE]
    assert not meddler.meddled
