"""A call that never came is nothing to wait for where none may have anything reduced."""

from __future__ import annotations

import pytest

from conformance.tester.case import Inconclusive, NoSuchCall
from conformance.tester.server.covered import unless_covered
from conformance.tester.server.received import ReceivedCall
from rpcrdma.ulp import gss
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.gss_mechanism import accept
from rpcrdma.wire._generated_gss import GssService
from targets.base import Unsupported

PLAIN = calls.store(77, b"octets")
MISSED = NoSuchCall("the client made no call with a Write list")


def received(octets: bytes | None) -> ReceivedCall:
    return ReceivedCall(1, 0, b"", None, b"", octets)


def under(service: GssService) -> ReceivedCall:
    return received(gss.protect_call(PLAIN, accept(b"token"), service, 5))


INTEGRITY, PRIVACY = (
    under(GssService.RPC_GSS_SVC_INTEGRITY),
    under(GssService.RPC_GSS_SVC_PRIVACY),
)
NULL = received(calls.null(78))


def test_where_every_call_is_covered_it_does_not_apply() -> None:
    found = unless_covered(MISSED, (NULL, INTEGRITY, PRIVACY))

    assert isinstance(found, Unsupported)
    assert str(found).startswith(f"{MISSED}: all that it made has integrity or privacy")


@pytest.mark.parametrize(
    "calls_made",
    [
        (),
        (NULL,),
        (received(None), received(b"no call")),
        (PRIVACY, received(PLAIN)),
        (PRIVACY, under(GssService.RPC_GSS_SVC_NONE)),
    ],
    ids=["none", "only NULL", "nothing to read", "one without", "one of authentication alone"],
)
def test_otherwise_it_is_still_missed(calls_made: tuple[ReceivedCall, ...]) -> None:
    assert unless_covered(MISSED, calls_made) is MISSED


@pytest.mark.parametrize("other", [None, Inconclusive("it does nothing"), ValueError()])
def test_what_else_ended_a_case_stays(other: BaseException | None) -> None:
    assert unless_covered(other, (PRIVACY,)) is other
