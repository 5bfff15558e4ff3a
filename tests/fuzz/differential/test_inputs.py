from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.differential.inputs import (
    add_input_options,
    chosen_inputs,
    mutated,
    with_and_without_reads,
)
from rpcrdma.wire import (
    RdmaDone,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rpcrdma.wire import Body

HEADER = encode_header(TransportHeader(0x5EED, 1, 8, RdmaNomsg((), (), None)))


def chosen(*words: str) -> list[bytes]:
    parser = argparse.ArgumentParser()
    add_input_options(parser, mutations=2)
    return chosen_inputs(parser.parse_args(words))


def test_mutations_are_of_whole_words_and_of_version_one_and_the_same_for_a_seed() -> None:
    made = list(mutated([HEADER], 50, 3))

    assert made[0] == HEADER
    assert len(set(made)) > 25
    assert all(len(octets) % 4 == 0 and octets[4:8] == bytes((0, 0, 0, 1)) for octets in made)
    assert made == list(mutated([HEADER], 50, 3))


def test_an_input_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(HEADER)
    (tmp_path / "other").write_bytes(HEADER + b"\0")

    assert chosen(str(tmp_path), "--mutations", "0") == [HEADER]


def test_the_corpus_of_the_package_is_there_without_a_name() -> None:
    assert len(chosen("--mutations", "0")) > 100


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no folder"):
        chosen(str(tmp_path / "nothing"))


def test_a_header_with_a_read_list_is_there_without_it_too() -> None:
    def octets_of(body: Body) -> bytes:
        return encode_header(TransportHeader(0x5EED, 1, 8, body))

    reads = (ReadSegment(0, RdmaSegment(1, 2, 3)),)
    chunk = WriteChunk((RdmaSegment(4, 5, 6),))
    inline = octets_of(RdmaMsg(reads, (chunk,), None))
    long = octets_of(RdmaNomsg(reads, (), chunk))
    other_boolean = HEADER[:20] + (7).to_bytes(4) + bytes(8) + HEADER[24:]
    others = [octets_of(RdmaDone()), inline[:-4], HEADER, other_boolean]

    assert with_and_without_reads([inline + b"more", *others, long, inline + b"more"]) == [
        inline + b"more",
        octets_of(RdmaMsg((), (chunk,), None)) + b"more",
        *others,
        long,
        octets_of(RdmaNomsg((), (), chunk)),
    ]
