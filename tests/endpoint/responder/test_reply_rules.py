"""How the reference Responder answers: fields, chunks, room."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core.faults import Fault, FaultAnswer, FaultFound
from rpcrdma.endpoint.responder.call_rules import IncomingCall
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import ErrChunk, ErrVers, FixedWords, RdmaSegment, WriteChunk

RULES = ReplyRules()
WORDS = FixedWords(xid=5, version=9, credit=3, procedure=0)
EIGHT = WriteChunk((RdmaSegment(1, 3, 0), RdmaSegment(2, 5, 64)))
EMPTY = WriteChunk(())


def test_an_error_echoes_xid_and_version_and_tells_our_range() -> None:
    """rfc8166 4.5 and D-11: the range is ours, xid and version are the request's."""
    assert (RULES.error_xid(WORDS), RULES.error_version(WORDS)) == (5, 9)
    assert RULES.error_body(FaultAnswer.ERR_VERS) == ErrVers(1, 1)
    assert RULES.error_body(FaultAnswer.ERR_CHUNK) == ErrChunk()
    assert RULES.error_credit(WORDS, 32) == 3


def test_a_reply_has_no_read_list_and_the_words_of_its_call() -> None:
    """rfc8166 4.3.1, 4.2.1 and 4.2.2."""
    call = IncomingCall(WORDS, b"", (), (), None)
    assert RULES.reply_reads(call) == ()
    assert (RULES.reply_xid(call), RULES.reply_version(call)) == (5, 9)


def test_a_slot_without_an_item_consumes_no_chunk() -> None:
    """rfc8166 4.3.2.2: the next result takes the chunk; what is left over is unused."""
    item = DataItem(40, 4)
    assert RULES.match((None, item), (EIGHT, EIGHT)) == (item, None)
    assert RULES.match((item, item), (EIGHT,)) == (item,)


def test_an_item_must_fit_its_chunk_without_roundup() -> None:
    """rfc8166 3.4.6.2: 8 octets take 8; 9 are refused, never cut."""
    RULES.judge_room(EIGHT, DataItem(40, 8))
    with pytest.raises(FaultFound) as found:
        RULES.judge_room(EIGHT, DataItem(40, 9))
    assert found.value.fault is Fault.WRITE_CHUNK_TOO_SHORT


def test_an_item_is_written_without_its_padding() -> None:
    """rfc8166 3.4.6.2."""
    assert RULES.data_to_write(b"....abcde\0\0\0", DataItem(4, 5)) == b"abcde"


@pytest.mark.parametrize(
    ("chunk", "fault"),
    [
        (None, Fault.REPLY_CHUNK_MISSING),
        (EMPTY, Fault.REPLY_CHUNK_MISSING),
        (EIGHT, Fault.REPLY_CHUNK_TOO_SHORT),
    ],
)
def test_a_long_reply_needs_a_reply_chunk_that_takes_it(
    chunk: WriteChunk | None, fault: Fault
) -> None:
    """rfc8166 3.5.3 and 4.5.3."""
    with pytest.raises(FaultFound) as found:
        RULES.reply_chunk_usable(chunk, 9)
    assert found.value.fault is fault
    assert RULES.reply_chunk_usable(EIGHT, 8) is EIGHT


def test_an_unused_reply_chunk_comes_back_without_data() -> None:
    """D-19: copied, lengths zero; where none was offered, none."""
    assert RULES.returned_reply_chunk(None) is None
    assert RULES.returned_reply_chunk(EIGHT) == WriteChunk(
        (RdmaSegment(1, 0, 0), RdmaSegment(2, 0, 64))
    )


def test_only_an_empty_chunk_keeps_its_result_inline() -> None:
    """rfc8166 4.3.2.3."""
    assert RULES.is_inline(EMPTY)
    assert not RULES.is_inline(EIGHT)


def test_the_threshold_itself_still_fits() -> None:
    """D-18: header and payload together."""
    assert RULES.fits_inline(1024, 1024)
    assert not RULES.fits_inline(1025, 1024)


def test_unparsable_arguments_get_the_rpc_reply_that_says_so() -> None:
    """rfc8166 4.5.2."""
    assert RULES.garbage_args(5) == rpc.garbage_args(5)
