"""Verifications about transport properties, on a tester that has heard what the test says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.options import verify as verify_options
from conformance.options.due import begun
from conformance.options.tester import Heard
from conformance.oracle.outcome import (
    ErrChunk,
    InvalidOption,
    OptionReceived,
    Outcome,
    Silent,
)
from conformance.tester.case import CaseLog, Deviation
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.properties import (
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported
from targets.profile import SHIPPED, load_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.wire.optional import Option
    from targets.profile import Profile

RULE = "xcharext.4.2.supported-request-is-answered"
OTHER = "xcharext.2.1.invalid-data"
Noted = tuple[int, set[type[Outcome]], set[type[Outcome]]]
"""XID of an operation, what is accepted as its answer, and what is only tolerated."""

PROFILE = load_profile(SHIPPED / "reference.toml")


@dataclass
class Heeding:
    """A device that has said this, and sends messages of at most so many octets."""

    heard: list[Heard] = field(default_factory=list)
    profile: Profile = PROFILE
    case: CaseLog = field(default_factory=CaseLog)
    limit: int = 4096
    sent: int = 0
    role: str = "responder"
    connected: bool = True
    credits: int = 32
    calls: int = 0
    late: list[Heard] = field(default_factory=list)
    told: list[Option] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)

    def note_accepted(
        self,
        xid: int,
        *allowed: type[Outcome],
        tolerated: tuple[type[Outcome], ...] = (),
        breaks: tuple[str, ...] = (),
    ) -> None:
        assert breaks
        self.noted.append((xid, set(allowed), set(tolerated)))

    def send(self, option: Option) -> int:
        self.told.append(option)
        return 0

    def call(self, breaks: tuple[str, ...] = ()) -> None:
        """It takes part."""
        self.calls += 1

    def quiet(self, until: Callable[[], bool] | None = None) -> None:
        """It is, and says what it has kept for late."""
        if until is not None:
            self.heard += self.late
            self.late = []

    def longest(self, octets: int, breaks: tuple[str, ...] = ()) -> int:
        return min(octets, self.limit)


def said(option: Option, xid: int = 9) -> Heard:
    return Heard(xid, 1, MessageType.CALL, option)


def error(body: v2.Rdma2ErrorBody, xid: int = 9) -> Heard:
    return Heard(xid, 1, MessageType.REPLY, error=body)


def choosing(**readings: str) -> Profile:
    chosen = {name.replace("_", "-"): reading for name, reading in readings.items()}
    extra = msgspec.structs.replace(PROFILE.extra, interpretations=chosen)
    return msgspec.structs.replace(PROFILE, extra=extra)


def test_an_answer_is_read_against_the_request() -> None:
    other = property_values(ReceiveBufferSize(2048))
    tester = Heeding([said(RespProp((1,), (4,), other))])

    found = verify_options.answered(tester, 9)

    assert (found.done, found.rejected, found.size) == ({0}, {2}, 2048)
    assert tester.noted == [(9, {OptionReceived}, set())]


def test_an_answer_may_be_late() -> None:
    tester = Heeding(late=[said(RespProp((1,), (), ()))])

    assert verify_options.answered(tester, 9).done == {0}


def test_bits_are_numbered_as_the_profile_says() -> None:
    tester = Heeding(profile=choosing(D_73="high-bit-first"))

    assert verify_options.bits(tester, {0}) == (1 << 31,)
    assert verify_options.members(tester, (1 << 31,)) == {0}
    assert verify_options.bits(Heeding(), {0}) == (1,)


@pytest.mark.parametrize(
    ("heard", "broken"),
    [
        ([], {RULE}),
        ([said(RespProp((), (), ())), said(RespProp((), (), ()))], {RULE}),
        ([error(v2.ErrInvalidOption())], {RULE}),
        ([said(RespProp((), (), ()), 10)], {RULE, verify_options.SAME_XID}),
    ],
    ids=["nothing", "two", "an error", "another xid"],
)
def test_a_request_gets_one_answer(heard: list[Heard], broken: set[str]) -> None:
    with pytest.raises(Deviation, match="did not get its one answer") as raised:
        verify_options.answered(Heeding(heard), 9)

    assert set(raised.value.breaks) == broken


def test_an_announcement_gets_none() -> None:
    quiet = Heeding()
    assert verify_options.unanswered(quiet, 9, breaks=(RULE,)) == ()
    assert quiet.noted == [(9, {Silent}, set())]
    with pytest.raises(Deviation, match="was answered") as raised:
        verify_options.unanswered(Heeding([said(RespProp((), (), ()))]), 9, breaks=(RULE,))
    assert raised.value.breaks == (RULE,)


def test_an_error_may_be_tolerated() -> None:
    tester = Heeding([error(v2.ErrInvalidOption())])

    verify_options.unanswered(tester, 9, breaks=(RULE,), tolerated=(OTHER,))

    assert [rule.ids for rule in tester.case.warnings] == [(OTHER,)]
    assert tester.noted == [(9, {Silent}, {InvalidOption, ErrChunk})]


def test_a_faulty_value_is_reported_by_bad_header() -> None:
    verify_options.reports_bad_header(Heeding([error(v2.ErrBadHeader())]), 9, breaks=(OTHER,))
    with pytest.raises(Deviation, match="was not reported"):
        verify_options.reports_bad_header(Heeding(), 9, breaks=(OTHER,))


@pytest.mark.parametrize(("reading", "warnings"), [("bad-header", 1), ("either", 0)])
def test_the_other_error_is_a_warning_unless_chosen(reading: str, warnings: int) -> None:
    """D-59."""
    tester = Heeding([error(v2.ErrInvalidOption())], profile=choosing(D_59=reading))

    verify_options.reports_bad_header(tester, 9, breaks=(OTHER,))

    assert len(tester.case.warnings) == warnings
    ((_, allowed, tolerated),) = tester.noted
    assert (ErrChunk in allowed, InvalidOption in tolerated) == (True, bool(warnings))


@pytest.mark.parametrize(("reading", "warnings"), [("bad-header", 1), ("either", 0)])
def test_a_fault_is_reported_in_the_words_of_the_profile(reading: str, warnings: int) -> None:
    """D-59."""
    tester = Heeding(profile=choosing(D_59=reading))

    assert verify_options.is_fault_report(tester, error(v2.ErrBadHeader()), (OTHER,))
    assert verify_options.is_fault_report(tester, error(v2.ErrInvalidOption()), (OTHER,))
    assert not verify_options.is_fault_report(tester, said(UpdProp(())), (OTHER,))

    assert [rule.ids for rule in tester.case.warnings] == [(OTHER,)] * warnings


@pytest.mark.parametrize(
    ("reading", "mark", "fixed"),
    [("will-not-change", (), {2}), ("may-change", (0b11,), {1, 3})],
)
def test_nochg_is_read_and_written_as_the_profile_says(
    reading: str, mark: tuple[int, ...], fixed: set[int]
) -> None:
    """D-72."""
    tester = Heeding(profile=choosing(D_72=reading))
    one, two, three = (PropertyValue(code, b"") for code in (1, 2, 3))

    assert verify_options.all_may_change(tester, (one, two)) == mark
    assert verify_options.fixed(tester, ConnProp((one, two, three), (0b1010,))) == fixed


def test_a_longer_message_is_found() -> None:
    verify_options.obeys(Heeding(limit=1024), 1024, breaks=(RULE,))
    for limit in (1024, 8192):
        with pytest.raises(Deviation, match="sends 9000 octets") as raised:
            verify_options.obeys(Heeding(limit=9000), limit, breaks=(RULE,), lengths=(9999,))
        assert raised.value.breaks == (RULE,)


def test_a_longer_message_that_every_receiver_has_to_support_is_a_note() -> None:
    """D-142."""
    tester = Heeding()

    verify_options.obeys(tester, 1024, breaks=(RULE,), lengths=(5000,))

    assert tester.case.warnings == []
    assert tester.case.notes == [
        "The device sends 4096 octets at once to an end that has told 1024."
    ]


def test_an_answer_beyond_the_size_is_noted() -> None:
    """D-142; what has another XID was under way before."""
    longer = Heard(9, 1, MessageType.REPLY, RespProp((), (), ()), length=44)

    noted = Heeding([longer])
    verify_options.answers_within(noted, 9, 43, breaks=(RULE,))
    assert len(noted.case.notes) == 1
    for tester in (Heeding([longer]), Heeding()):
        verify_options.answers_within(tester, 8, 43, breaks=(RULE,))
        assert tester.told == [UpdProp(property_values(DefaultValue(1)))]


def test_the_end_of_the_connection_answers_nothing_beyond_the_size() -> None:
    """D-142."""
    tester = Heeding(connected=False)

    verify_options.answers_within(tester, 9, 16, breaks=(RULE,))

    assert tester.told == []


def test_the_size_is_what_was_told_last() -> None:
    large, small = ReceiveBufferSize(8192), ReceiveBufferSize(2048)
    told = said(ConnProp(property_values(large), ()))

    assert verify_options.told_size(Heeding()) == 4096
    assert verify_options.told_size(Heeding([told])) == 8192
    assert verify_options.told_size(Heeding([told, said(UpdProp(()))])) == 8192
    assert verify_options.told_size(Heeding([told, said(UpdProp(property_values(small)))])) == 2048
    default = property_values(DefaultValue(1))
    assert verify_options.told_size(Heeding([told, said(UpdProp(default))])) == 4096


def test_what_is_not_claimed_is_not_tested() -> None:
    claims = msgspec.structs.replace(PROFILE.claims, operations=("connprop",))
    tester = Heeding(profile=msgspec.structs.replace(PROFILE, claims=claims))

    verify_options.claims(tester, "connprop")
    with pytest.raises(Unsupported, match="does not claim the operation updprop"):
        verify_options.claims(tester, "connprop", "updprop")
    with pytest.raises(Unsupported, match="has announced nothing"):
        verify_options.announced(tester)


def test_a_name_that_no_operation_has_is_a_fault_of_the_case() -> None:
    with pytest.raises(KeyError):
        verify_options.claims(Heeding(), "conprop")


def test_the_first_of_a_kind_is_found() -> None:
    first, second = said(UpdProp(())), said(ReqProp(()), 10)

    assert begun(Heeding([first, second]), ReqProp) is second
    assert begun(Heeding([first, second]), UpdProp, 1) is None
    assert verify_options.requested(Heeding([second])) == (second, ())


@pytest.mark.parametrize(("granted", "calls"), [(1, 80), (32, 80), (200, 400), (2**32 - 1, 1000)])
def test_every_receive_of_a_device_is_used_up(granted: int, calls: int) -> None:
    """It has one for each credit, and may have as many for the other direction."""
    tester = Heeding(credits=granted)

    assert verify_options.until(tester, UpdProp, 0) is None  # type: ignore[arg-type]
    assert tester.calls == calls


def test_no_more_receives_are_used_up_than_it_takes() -> None:
    tester = Heeding([said(UpdProp(property_values(ReceiveBufferSize(8192))))])

    assert verify_options.until(tester, UpdProp, 0) == tester.heard[0]  # type: ignore[arg-type]
    assert tester.calls == 0
