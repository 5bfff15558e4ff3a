"""The text in which faults are written down."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import FabricError
from rpcrdma.roce.link.faults import FaultRule, FrameAct, FrameDirection, FrameFaults, Likelihoods
from rpcrdma.roce.packet.bth import BthOpcode

SENT, RECEIVED = FrameDirection.SENT, FrameDirection.RECEIVED

chances = st.floats(0.0, 1.0)
likelihoods = st.builds(
    Likelihoods, loss=chances, duplicate=chances, reorder=chances, delay=chances, corrupt=chances
)


@st.composite
def rules(draw: st.DrawFn) -> FaultRule:
    first = draw(st.integers(1, 999_999_999))
    last = draw(st.none() | st.integers(first, 999_999_999))
    return FaultRule(
        draw(st.sampled_from(FrameDirection)),
        draw(st.none() | st.sampled_from(BthOpcode)),
        first,
        last,
        draw(st.sampled_from(FrameAct)),
    )


faults = st.builds(
    FrameFaults,
    seed=st.integers(0, 10**18 - 1),
    sent=likelihoods,
    received=likelihoods,
    seconds=st.floats(0.0, 3600.0),
    rules=st.lists(rules(), max_size=4).map(tuple),
)


@given(faults)
def test_what_is_printed_is_read_as_the_same(written: FrameFaults) -> None:
    assert FrameFaults.parse(str(written)) == written


@given(st.text(max_size=40) | st.from_regex(r"[a-z.]{1,10}=[A-Z0-9.-]{0,9}", fullmatch=True))
def test_any_text_is_read_or_refused_in_one_way(text: str) -> None:
    try:
        read = FrameFaults.parse(text)
    except FabricError:
        return
    assert FrameFaults.parse(str(read)) == read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", FrameFaults()),
        (" , ", FrameFaults()),
        ("seed=7", FrameFaults(seed=7)),
        ("loss=0.01", FrameFaults(0, Likelihoods(loss=0.01), Likelihoods(loss=0.01))),
        ("sent.loss=1", FrameFaults(sent=Likelihoods(loss=1.0))),
        ("received.delay=0.5, seconds=2", FrameFaults(
            received=Likelihoods(delay=0.5), seconds=2.0
        )),
        ("loss=0.5,received.loss=0", FrameFaults(sent=Likelihoods(loss=0.5))),
        ("sent.SEND_ONLY.3=drop", FrameFaults(
            rules=(FaultRule(SENT, BthOpcode.SEND_ONLY, 3, 3, FrameAct.DROP),)
        )),
        ("received.ANY.3-5=corrupt", FrameFaults(
            rules=(FaultRule(RECEIVED, None, 3, 5, FrameAct.CORRUPT),)
        )),
        ("received.ACKNOWLEDGE.1-=duplicate", FrameFaults(
            rules=(FaultRule(RECEIVED, BthOpcode.ACKNOWLEDGE, 1, None, FrameAct.DUPLICATE),)
        )),
    ],
)  # fmt: skip
def test_texts_mean_what_the_module_says(text: str, expected: FrameFaults) -> None:
    assert FrameFaults.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("loss", "in 'loss', an = is missing"),
        ("seed=7,los=0.1", "'los' is none of seed, seconds, loss, duplicate, reorder"),
        ("loss=1.5", "'1.5' is no number from 0 to 1"),
        ("loss=nan", "'nan' is no number from 0 to 1"),
        ("loss=much", "'much' is no number from 0 to 1"),
        ("seconds=-1", "'-1' is no number from 0 to 3600"),
        ("seed=-1", "'-1' is no number without sign"),
        ("there.loss=1", "'there' is neither sent nor received"),
        ("sent.seed=1", "'sent.seed' is none of"),
        ("sent.SEND.1=drop", "'SEND' is neither ANY nor one of SEND_FIRST, "),
        ("sent.ANY.0=drop", "'0' is not like 3, 3-5 or 3-"),
        ("sent.ANY.5-3=drop", "'5-3' ends before it begins"),
        ("sent.ANY.1=loss", "'loss' is none of drop, duplicate, reorder, delay, corrupt"),
        ("sent.ANY.1.2=drop", "'sent.ANY.1.2' is none of"),
    ],
)
def test_a_text_that_means_nothing_is_refused_with_the_part(text: str, why: str) -> None:
    with pytest.raises(FabricError) as caught:
        FrameFaults.parse(text)

    assert why in str(caught.value)
    assert repr(text) in str(caught.value)


def test_equal_likelihoods_are_printed_once() -> None:
    printed = str(FrameFaults.parse("received.loss=0.01,sent.loss=0.01,sent.delay=0.5,seed=7"))

    assert printed == "seed=7,loss=0.01,sent.delay=0.5,received.delay=0.0"


def test_no_fault_is_printed_as_no_text() -> None:
    assert str(FrameFaults()) == ""
