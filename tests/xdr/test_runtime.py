"""Primitives are read and written as rfc4506 section 4 says, and refused where it forbids them."""

# Arguments come from parameters that say what they are:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import pytest

from rpcrdma.errors import Reason
from rpcrdma.xdr.runtime import ItemFault, Reader, Writer, wrong_type


@pytest.mark.parametrize(
    ("octets", "bits", "signed", "number"),
    [
        ("ffffffff", 32, False, 2**32 - 1),
        ("ffffffff", 32, True, -1),
        ("8000000000000000", 64, False, 2**63),
        ("8000000000000000", 64, True, -(2**63)),
    ],
)
def test_integer_has_its_sign_and_size(octets, bits, signed, number):
    reader, writer = Reader(bytes.fromhex(octets), 0), Writer()
    writer.integer(number, bits, signed=signed)

    assert reader.integer(bits, signed=signed) == number
    assert reader.remaining() == 0
    assert b"".join(writer.parts).hex() == octets


@pytest.mark.parametrize(("octets", "number"), [("7fffffff", 2**31 - 1), ("80000000", -(2**31))])
def test_word_of_an_enumeration_is_signed(octets, number):
    assert Reader(bytes.fromhex(octets), 0).signed_word() == number


@pytest.mark.parametrize(
    ("octets", "read", "offset", "reason", "detail"),
    [
        ("000000", Reader.word, 0, Reason.TRUNCATED, "4 octets needed, 3 left"),
        ("00000002", Reader.flag, 0, Reason.BAD_BOOLEAN, "2"),
        ("00000003", lambda reader: reader.count(2, 4), 0, Reason.TOO_LONG, "3 exceeds"),
        ("0000000200", lambda reader: reader.count(2, 4), 0, Reason.TRUNCATED, "needs 8 octets"),
        ("61626300", lambda reader: reader.opaque(5), 0, Reason.TRUNCATED, "8 octets needed"),
        ("61620001", lambda reader: reader.opaque(2), 2, Reason.BAD_PADDING, "0x0001"),
        ("61ff0000", lambda reader: reader.text(2, "ascii"), 0, Reason.BAD_TEXT, "octet 1"),
    ],
)
def test_reader_refuses_with_offset_and_reason(octets, read, offset, reason, detail):
    with pytest.raises(ItemFault) as caught:
        read(Reader(bytes.fromhex(octets), 0))

    assert (caught.value.offset, caught.value.reason) == (offset, reason)
    assert detail in caught.value.detail


@pytest.mark.parametrize(
    ("write", "detail"),
    [
        (lambda writer: writer.integer(-1, 32, signed=False), "-1 is not an unsigned integer"),
        (lambda writer: writer.integer("1", 64, signed=True), "'1' is not a signed integer"),
        (lambda writer: writer.floating(1e300, 32), "1e+300 is not a number of 32 bits"),
        (lambda writer: writer.count(6, 5), "6 items exceed the maximum 5"),
    ],
)
def test_writer_refuses_what_does_not_fit(write, detail):
    with pytest.raises(ItemFault) as caught:
        write(Writer())

    assert detail in caught.value.detail


@pytest.mark.parametrize("length", range(5))
def test_opaque_is_padded_to_whole_words(length):
    writer = Writer()
    writer.opaque(b"x" * length)
    octets = b"".join(writer.parts)

    assert len(octets) == (length + 3) // 4 * 4
    assert Reader(octets, 0).opaque(length) == b"x" * length


def test_fault_reads_its_path_from_the_outside():
    fault = ItemFault(8, Reason.BAD_ENUM, "9")
    fault.steps.extend([".kind", "[3]", ".items"])

    assert fault.path == "items[3].kind"
    assert str(fault.as_decode_error()).startswith("octet 8, items[3].kind: ")
    assert str(wrong_type(1, "bytes").as_encode_error()) == "message: 1 is not bytes"
