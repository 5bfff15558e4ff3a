"""Kept messages under XIDs that nobody has used."""

from __future__ import annotations

from itertools import count

from fuzz.live.fresh_xids import with_fresh_xids
from fuzz.responder_executor import good_call

OLD, NEW = 0x0000_0005, 0x1234_0001


def fresh(*messages: bytes) -> list[bytes]:
    return with_fresh_xids(messages, count(NEW))


def test_header_and_call_get_the_same_new_xid() -> None:
    assert fresh(good_call(OLD)) == [good_call(NEW)]


def test_equal_xids_stay_equal_and_others_stay_others() -> None:
    calls = [good_call(xid) for xid in (OLD, 6, OLD)]
    assert fresh(*calls) == [good_call(xid) for xid in (NEW, NEW + 1, NEW)]


def test_a_call_under_another_xid_than_its_header_keeps_it() -> None:
    call = good_call(6)
    mixed = OLD.to_bytes(4, "big") + call[4:]
    assert fresh(mixed) == [NEW.to_bytes(4, "big") + call[4:]]


def test_what_cannot_be_decoded_has_its_first_word_alone_changed() -> None:
    assert fresh(b"\0\0\0\5garbage") == [NEW.to_bytes(4, "big") + b"garbage"]


def test_what_is_shorter_than_an_xid_stays() -> None:
    assert fresh(b"", b"\1\2") == [b"", b"\1\2"]
