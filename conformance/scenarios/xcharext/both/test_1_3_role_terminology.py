"""xcharext section 1.3, Role Terminology."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.options import verify as verify_options
from conformance.options.tester import both_ends
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester
    from rpcrdma.wire.optional import Option

TAKEN = "xcharext.1.3.both-ends-take-operations"
NO_ANSWER = "xcharext.2.3.announcements-have-no-answer"

VALUES = property_values(
    ReceiveBufferSize(8192),
    RequesterRemoteInvalidation(allowed=False),
    BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE),
)


@both_ends(TAKEN, NO_ANSWER, interpretations=("D-54", "D-63"))
@pytest.mark.parametrize(
    ("operation", "option"),
    [("connprop", ConnProp(VALUES, ())), ("updprop", UpdProp(VALUES)), ("updprop", UpdProp(()))],
    ids=["connprop", "updprop", "empty updprop"],
)
def test_announcement_is_taken_without_an_answer(
    tester: OptionTester, operation: str, option: Option
) -> None:
    """A client's or a server's announcement gets no answer, and RPCs go on."""
    verify_options.claims(tester, operation)

    xid = tester.send(option)

    verify_options.unanswered(tester, xid, breaks=(TAKEN, NO_ANSWER))
