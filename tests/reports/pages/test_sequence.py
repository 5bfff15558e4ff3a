from __future__ import annotations

import msgspec
import pytest

from reports.pages.sequence import ROOM, sequence
from reports.record import CaseRecord, Exchange, Field, Verdict


def step(
    direction: str = "sent", kind: str = "Send", by: str = "tester", octets: int = 20
) -> Exchange:
    return Exchange(0.0, 1, direction, "summary", "detail", "00" * octets, octets, kind=kind, by=by)


def case(*steps: Exchange) -> CaseRecord:
    return CaseRecord("d/1/x", "Title.", Verdict.FAIL, exchanges=steps)


@pytest.mark.parametrize(
    ("kind", "by", "heading"),
    [
        ("Send", "tester", "right"),
        ("Send", "device", "left"),
        ("RDMA Read", "device", "left"),
        ("connect", "tester", "right"),
        ("invalidate", "device", ""),
        ("failure", "tester", ""),
        ("disconnect", "", ""),
    ],
)
def test_an_arrow_points_away_from_who_acts(kind: str, by: str, heading: str) -> None:
    (shown,) = sequence(case(step("event", kind, by))).steps
    assert shown.heading == heading


def test_credits_stand_beside_the_label_and_not_in_it() -> None:
    told = msgspec.structs.replace(step(), summary="68 octets, credits 8, RDMA_MSG", credits=8)
    (shown,) = sequence(case(told)).steps
    assert shown.label == "68 octets, RDMA_MSG"


def test_messages_are_decoded_and_events_are_not() -> None:
    sent, event = sequence(case(step(), step("event", "RDMA Write", "device"))).steps
    assert sent.message is not None
    assert event.message is None


def test_the_middle_of_a_flood_is_left_out_and_counted() -> None:
    shown = sequence(case(*[step("event", "connect")] * 1500))
    assert (len(shown.steps), shown.skipped, shown.half) == (1000, 500, 500)
    assert [one.number for one in shown.steps[499:501]] == [500, 1001]


def test_what_is_wrong_is_decoded_though_there_is_no_room_for_all() -> None:
    large = step(octets=4096)
    guilty = msgspec.structs.replace(large, fields=(Field(0, 4, 0, "rdma_xid", "0", "is zero"),))
    shown = sequence(case(*[large] * 60, guilty))
    assert shown.undecoded == 61 - sum(one.message is not None for one in shown.steps)
    assert shown.undecoded > 0
    assert shown.steps[-1].message is not None
    assert shown.steps[-1].marked
    assert sum(one.message.lines for one in shown.steps if one.message) <= ROOM


def test_a_few_of_what_is_wrong_come_first_and_each_message_once() -> None:
    guilty = msgspec.structs.replace(step(), fields=(Field(0, 4, 0, "rdma_xid", "0", "is zero"),))
    shown = sequence(case(step(), *[guilty] * 5))
    assert [one.number for one in shown.guilty] == [2, 3, 4]
    assert [one.number for one in shown.others] == [1, 5, 6]


def test_a_case_without_exchanges_has_no_steps() -> None:
    assert sequence(case()).steps == ()
