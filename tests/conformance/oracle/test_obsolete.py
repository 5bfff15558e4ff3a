"""Procedures of former documents."""

from __future__ import annotations

import pytest

from conformance.oracle.obsolete import is_obsolete, never_sent
from rpcrdma.wire import Procedure


@pytest.mark.parametrize("procedure", range(7))
def test_two_procedures_are_obsolete(procedure: int) -> None:
    wanted = procedure in (Procedure.RDMA_MSGP, Procedure.RDMA_DONE)
    assert is_obsolete(procedure) is wanted


def test_whoever_sends_one_breaks_its_own_rules() -> None:
    assert never_sent(Procedure.RDMA_MSGP, 1).ids == (
        "rfc8166.4.6.1.msgp-is-not-sent",
        "rfc8166.4.2.4.msgp-is-reserved",
    )
    assert never_sent(Procedure.RDMA_DONE, 1).origin == "rfc8166.4.6.2.done-is-not-sent"
    assert never_sent(Procedure.RDMA_DONE, 2).ids == ("v2.4.2.procedure-numbers",)
