"""The words in which clients are told what to do, and say how it went."""

from __future__ import annotations

from targets.base import Act, ActKind, ActResult, ActState


def test_an_act_prints_what_is_to_be_done() -> None:
    assert str(Act(ActKind.NULL)) == "null"
    assert str(Act(ActKind.MANY, count=7)) == "many 7 times"
    assert str(Act(ActKind.MANY_READS, 4096, 3)) == "many-reads 3 times 4096 octets"
    assert str(Act(ActKind.READ_AT, 7, offset=5)) == "read-at 7 octets from octet 5 on"


def test_a_kind_is_written_in_profiles_by_its_value() -> None:
    assert ActKind("long-reply") is ActKind.LONG_REPLY
    assert [kind.value for kind in ActKind] == [str(kind) for kind in ActKind]


def test_a_result_prints_how_the_act_ended() -> None:
    assert str(ActResult(ActState.DONE)) == "done"
    assert str(ActResult(ActState.FAILED, "input/output error")) == "failed (input/output error)"


def test_only_done_is_done() -> None:
    assert ActResult(ActState.DONE).done
    assert not ActResult(ActState.FAILED).done
