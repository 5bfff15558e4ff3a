"""Long runs and lists, which the strategies never draw, are read and written as interpreted."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN002, ANN201, ANN202

from __future__ import annotations

import types

import pytest

from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.wire import RdmaMsg, RdmaSegment, ReadSegment, TransportHeader, WriteChunk
from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.xdr.emit_bulk import LARGEST_TABLE
from rpcrdma.xdr.emit_codec import emit_codec
from rpcrdma.xdr.interpret import Interpreter
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

SCHEMA = resolve(
    parse(
        """
        enum color { RED = 1, GREEN = -2 };
        struct inner { bool b; color c; };
        struct flat { inner i; opaque o[4]; int pair[2]; double d; };
        struct flats { flat f; flats *next; };
        struct entry { inner i; hyper h; };
        struct entries { entry e; entries *next; };
        struct all { flat run<>; flats *list; entry entries<40>; struct entries *more; int n<>; };
        """
    )
)
CODEC = types.ModuleType("bulk_under_test")
exec(compile(emit_codec(SCHEMA, "sample.x"), "bulk_under_test", "exec"), CODEC.__dict__)
INTERPRETER = Interpreter(SCHEMA, vars(CODEC))
V1 = Interpreter(v1.SCHEMA, vars(v1))

COUNTS = (0, 1, 2, 3, LARGEST_TABLE, LARGEST_TABLE + 1, 2 * LARGEST_TABLE + 1)


def _all(count):
    colors = (CODEC.Color.RED, CODEC.Color.GREEN)
    inners = [CODEC.Inner(index % 3 == 0, colors[index % 2]) for index in range(count)]
    flats = tuple(
        CODEC.Flat(inner, b"%04d" % index, (index, -index), index / 2)
        for index, inner in enumerate(inners)
    )
    entries = tuple(CODEC.Entry(inner, -index) for index, inner in enumerate(inners))
    return CODEC.All(flats, flats, entries, entries, tuple(range(count)))


def _header(reads, segments):
    run = tuple(RdmaSegment(index, 2**32 - 1 - index, 2**64 - 1 - index) for index in range(40))
    listed = tuple(ReadSegment(4 * index, run[index]) for index in range(reads))
    chunk = WriteChunk(run[:segments])
    return TransportHeader(1, 1, 1, RdmaMsg(listed, (chunk, WriteChunk(())), chunk))


def _outcome(decode, *arguments):
    try:
        return decode(*arguments)
    except DecodeError as error:
        return error.offset, error.path, error.reason, error.detail


@pytest.mark.parametrize("count", COUNTS)
def test_elements_of_every_kind_agree_with_the_interpreter(count):
    value = _all(count)
    octets = CODEC.encode_all(value)

    assert octets == INTERPRETER.encode("All", value)
    assert CODEC.decode_all(octets) == (value, len(octets)) == INTERPRETER.decode("All", octets)


@pytest.mark.parametrize("count", [1, 2, 3, LARGEST_TABLE + 1])
def test_damaged_word_of_a_run_gets_the_interpreters_answer(count):
    octets = CODEC.encode_all(_all(count))

    for place in range(0, len(octets), 4):
        damaged = octets[:place] + b"\0\0\0\7" + octets[place + 4 :]
        assert _outcome(CODEC.decode_all, damaged) == _outcome(INTERPRETER.decode, "All", damaged)


@pytest.mark.parametrize("reads", COUNTS)
@pytest.mark.parametrize("segments", COUNTS)
def test_long_header_agrees_with_the_interpreter(reads, segments):
    header = _header(reads, segments)
    octets = v1.encode_transport_header(header)

    assert octets == V1.encode("TransportHeader", header)
    assert v1.decode_transport_header(octets + b"\1" * 500) == (header, len(octets))


def test_long_header_that_is_cut_or_damaged_gets_the_interpreters_answer():
    octets = v1.encode_transport_header(_header(2 * LARGEST_TABLE + 1, LARGEST_TABLE + 1))

    for place in range(0, len(octets), 4):
        for broken in (octets[:place], octets[:place] + b"\0\0\1\1" + octets[place + 4 :]):
            expected = _outcome(V1.decode, "TransportHeader", broken)
            assert _outcome(v1.decode_transport_header, broken) == expected


def test_discriminator_inside_a_block_is_refused_at_its_own_offset():
    octets = bytearray(v1.encode_transport_header(_header(2 * LARGEST_TABLE + 1, 0)))
    octets[16 + 24 * 5] = 1  # the discriminator of the sixth entry: 0x01000001

    with pytest.raises(DecodeError) as caught:
        v1.decode_transport_header(octets)

    assert (caught.value.offset, caught.value.path) == (136, "rdma_body.rdma_reads[5]")
    assert caught.value.reason is Reason.BAD_BOOLEAN


@pytest.mark.parametrize("place", [0, 1, 2, 3, 7, 38])
def test_element_that_does_not_fit_is_named_by_its_index(place):
    segments = [RdmaSegment(1, 2, 3)] * 39
    segments[place] = RdmaSegment(1, -1, 3)
    header = TransportHeader(1, 1, 1, RdmaMsg((), (WriteChunk(tuple(segments)),), None))

    with pytest.raises(EncodeError) as caught:
        v1.encode_transport_header(header)

    assert caught.value.path == f"rdma_body.rdma_writes[0].target[{place}].length"


def test_words_in_front_of_a_run_keep_their_signs_in_every_order():
    schema = resolve(
        parse(
            """
            struct signed_first { int a; unsigned int b; unsigned int run<>; };
            struct signed_last { unsigned int a; int b; unsigned int run<>; };
            """
        )
    )
    codec = types.ModuleType("heads_under_test")
    exec(compile(emit_codec(schema, "heads.x"), "heads_under_test", "exec"), codec.__dict__)

    for run in ((), (1,), (1, 2), (1, 2, 3)):
        first, last = codec.SignedFirst(-1, 2**32 - 1, run), codec.SignedLast(2**32 - 1, -1, run)
        assert codec.decode_signed_first(codec.encode_signed_first(first))[0] == first
        assert codec.decode_signed_last(codec.encode_signed_last(last))[0] == last
        with pytest.raises(EncodeError):
            codec.encode_signed_first(codec.SignedFirst(1, -1, run))
        with pytest.raises(EncodeError):
            codec.encode_signed_last(codec.SignedLast(-1, 1, run))
