"""What is due is waited for: over some RPCs, and for the profile's deadline."""

from __future__ import annotations

import pytest

from conformance.options.due import OCCASIONS, begun, due, first_begun, let_announce
from conformance.tester.case import Inconclusive
from rpcrdma.wire.operations import ConnProp, ReqProp, UpdProp
from rpcrdma.wire.optional import UnknownOption
from tests.conformance.options.test_verify import Heeding, said


def test_what_is_here_is_not_waited_for() -> None:
    tester = Heeding([said(ConnProp((), ()))])

    let_announce(tester)

    assert tester.calls == 0


def test_what_is_not_here_gets_occasions_and_time() -> None:
    tester = Heeding(late=[said(ConnProp((), ()))])

    assert due(tester, lambda: begun(tester, ConnProp) is not None)
    assert tester.calls == OCCASIONS


def test_what_does_not_come_is_not_here() -> None:
    assert not due(Heeding(), lambda: False)


def test_an_announcement_that_comes_late_is_no_request() -> None:
    request = said(ReqProp(()), 7)
    tester = Heeding([said(ConnProp((), ())), said(UpdProp(())), request])

    assert first_begun(tester, ReqProp) is request


def test_a_code_that_nobody_knows_may_be_what_was_meant() -> None:
    unknown = said(UnknownOption(77, b""))

    assert first_begun(Heeding([unknown]), ReqProp) is unknown


def test_who_begins_nothing_cannot_be_judged() -> None:
    with pytest.raises(Inconclusive, match="has begun nothing"):
        first_begun(Heeding(), ReqProp)
