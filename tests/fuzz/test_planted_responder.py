"""A planted bug of a Responder shows in a sequence of two messages, and in neither alone."""

from __future__ import annotations

import pytest

from fuzz.engine import implementation, judge
from fuzz.harnesses import v1_responder
from fuzz.invariant import BrokenInvariant
from fuzz.planted_responder import IN_RESPONDERS
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, TransportHeader, encode_header

NOWHERE = RdmaNomsg((ReadSegment(0, RdmaSegment(0xBAD, 40, 0)),), (), None)
FATAL = encode_header(TransportHeader(7, 1, 1, NOWHERE))
"""A Long Call whose memory does not exist costs the connection."""
REFUSED = encode_header(TransportHeader(8, 1, 1, RdmaNomsg((), (), None)))

SHOWN = {
    "after-error": ((REFUSED, good_call(9)), "oracle"),
    "second-connection": ((FATAL, good_call(9)), "not-served"),
}


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_it_shows(name: str) -> None:
    messages, invariant = SHOWN[name]
    with pytest.raises(BrokenInvariant) as caught:
        judge(v1_responder.check, join(list(messages)), subject(name))

    assert caught.value.invariant == invariant


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_calls_alone_do_not_show_it(name: str) -> None:
    judge(v1_responder.check, join([good_call(8), good_call(9)]), subject(name))


@pytest.mark.parametrize("name", IN_RESPONDERS)
def test_the_reference_bears_it(name: str) -> None:
    messages, _ = SHOWN[name]
    judge(v1_responder.check, join(list(messages)), v1_responder.reference())


def subject(name: str) -> object:
    return implementation(IN_RESPONDERS[name][1])()
