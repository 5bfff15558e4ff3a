"""The dictionary holds the words that steer a decoder, as the octets of a message."""

# ruff: noqa: ANN201

from __future__ import annotations

from rpcrdma.xdr.emit_dictionary import emit_dictionary
from rpcrdma.xdr.parse import parse
from rpcrdma.xdr.resolve import resolve

TEXT = """
const PORT = 0x4e41;
enum color { RED = 7, GREEN = -2 };
struct s { opaque a<400>; int b<>; };
union u switch (color c) { case RED: string t<12>; default: void; };
"""


def test_words_of_the_specification_are_listed():
    text = emit_dictionary(resolve(parse(TEXT)), "sample.x")
    words = dict(line.split("=", 1) for line in text.splitlines()[1:])

    assert words["PORT"] == r'"\x00\x00\x4e\x41"'
    assert words["RED"] == r'"\x00\x00\x00\x07"'
    assert words["GREEN"] == r'"\xff\xff\xff\xfe"'
    assert words["maximum_400"] == r'"\x00\x00\x01\x90"'
    assert words["beyond_12"] == r'"\x00\x00\x00\x0d"'
    assert words["neither_0_nor_1"] == r'"\x00\x00\x00\x02"'
    assert len(set(words.values())) == len(words)
