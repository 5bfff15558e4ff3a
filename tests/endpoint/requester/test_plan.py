"""Which form a Call takes, and what is offered for its Reply: no more than is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.core.message_form import MessageForm
from rpcrdma.endpoint.requester.plan import ResultsPlan, plan_call, plan_results
from rpcrdma.ulp.bindings import DataItem, ReplyExpectation, restore

NOTHING = ResultsPlan()
ROOM = 1024 - 28  # beside a header without chunks
SEGMENT = 700


@given(st.integers(44, 3000), st.integers(0, 2900), st.sampled_from((None, *MessageForm)))
def test_every_call_fits_the_threshold_and_carries_all_octets(
    length: int, data: int, form: MessageForm | None
) -> None:
    """rfc8166 3.5: whatever the form, inline octets and chunks together are the call."""
    length += -length % 4
    data = min(data, length - 44)
    payload = bytes(index % 251 for index in range(length))
    item = DataItem(length - data - -data % 4, data)
    plan = plan_call(payload, (item,), NOTHING, ROOM, SEGMENT, form)
    segments = sum(len(read.pieces) for read in plan.reads)
    assert 24 * segments + len(plan.inline) <= ROOM
    assert all(len(piece) <= SEGMENT for read in plan.reads for piece in read.pieces)
    joined = [(read.position, b"".join(read.pieces)) for read in plan.reads]
    base = joined.pop(0)[1] if plan.form is MessageForm.LONG else plan.inline
    whole = restore(base, joined)
    assert whole[: item.position + data] == payload[: item.position + data]
    assert len(whole) == length


def test_the_smallest_form_that_fits_is_taken() -> None:
    """A call of exactly the room is Short; one word more is Chunked, or Long without an item."""
    room = bytes(ROOM)
    item = (DataItem(44, 400),)
    assert plan_call(room, item, NOTHING, ROOM, SEGMENT).form is MessageForm.SHORT
    assert plan_call(room + bytes(4), item, NOTHING, ROOM, SEGMENT).form is MessageForm.CHUNKED
    assert plan_call(room + bytes(4), (), NOTHING, ROOM, SEGMENT).form is MessageForm.LONG


def results(maximum: int, *items: int, inline: int = 0, always: bool = False) -> ResultsPlan:
    return plan_results(ReplyExpectation(maximum, items), ROOM, SEGMENT, inline, always=always)


def test_chunks_are_offered_only_for_a_reply_that_may_not_fit() -> None:
    """rfc8166 3.5.3; unless the caller wants them."""
    assert results(996, 900) == NOTHING
    assert results(996, 900, always=True).writes == ((700, 200),)
    assert results(997, 900).writes == ((700, 200),)


def test_each_write_chunk_takes_the_largest_item_that_can_come_to_it() -> None:
    """rfc8166 4.3.2.2: the second item lands in the first chunk if the first has none."""
    assert results(2000, 10, 600).writes == ((600,), (600,))


def test_a_reply_chunk_is_offered_for_what_cannot_be_reduced_away() -> None:
    """And it takes the whole reply, since results may be left in the stream."""
    assert results(2000).reply == (700, 700, 600)
    assert results(1700, 600).reply == (700, 700, 300)
    assert results(1000, 600).reply == ()


def test_short_results_are_asked_for_inline_by_an_empty_chunk() -> None:
    """rfc8166 4.3.2.3; and no list at all if every chunk would be empty."""
    assert results(2000, 10, 5, inline=20).writes == ()
    assert results(2000, 900, 5, inline=20).writes == ((700, 200), ())


def test_no_reply_chunk_is_offered_for_a_reply_that_fits_with_nothing_reduced() -> None:
    """rfc8166 4.3.3: the room that a Write chunk spares is not needed then."""
    always = results(900, 8, always=True)

    assert (always.writes, always.reply) == (((8,),), ())
