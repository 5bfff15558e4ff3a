"""Every message is judged on its arrival."""

from __future__ import annotations

from typing import Any

from conformance.oracle.device import Device
from conformance.tester.server.judging import Judging
from conformance.tester.server.received import ReceivedCall
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, TransportHeader, encode_header

LINE: Any = "a connection: only a key here"
FIRST: Any = "first"
SECOND: Any = "second"


def message(xid: int, version: int = 1) -> ReceivedCall:
    payload = testprog_calls.null(xid)
    header = TransportHeader(xid, version, 4, RdmaMsg((), (), None))
    return ReceivedCall(1, 0, encode_header(header) + payload, header, payload, payload)


def opened(line: Any, judging: Judging | None = None) -> Judging:  # noqa: ANN401  # any key
    made = judging or Judging(Device())
    made.open(line, TestProgram(), (1024, 1024))
    return made


def test_a_good_call_breaks_nothing() -> None:
    judging = opened(LINE)

    judging.received(LINE, message(1))

    assert judging.violations == []
    assert judging.state_of(LINE).call(1) is not None


def test_what_a_call_breaks_is_kept() -> None:
    judging = opened(LINE)

    judging.received(LINE, message(1, version=2))

    assert [one.ids for one in judging.violations] == [("rfc8166.4.2.2.version-is-one",)]


def test_a_call_refused_on_one_connection_is_not_to_come_on_the_next() -> None:
    judging = opened(FIRST)
    judging.received(FIRST, message(1))
    error = encode_header(TransportHeader(1, 1, 4, RdmaError(ErrChunk())))
    judging.sending(FIRST, error)
    opened(SECOND, judging)

    judging.received(SECOND, message(1))

    assert "rfc8166.4.5.error-is-permanent" in judging.violations[0].ids


def test_a_new_case_begins_without_violations() -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1, version=2))

    judging.forget(())

    assert judging.violations == []
