from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from fuzz import cli_tshark
from fuzz.differential.by_fields import fields_of
from fuzz.differential.tshark import Dissected
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaNomsg, TransportHeader, decode_header, encode_header

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEADER = encode_header(TransportHeader(0x5EED, 1, 8, RdmaNomsg((), (), None)))


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    cli_tshark.add_parser(parser.add_subparsers())
    options = parser.parse_args(["tshark", *words])
    status: int = options.run(options)
    return status


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    (tmp_path / "one").write_bytes(HEADER)
    (tmp_path / "cut").write_bytes(HEADER[:20])
    return str(tmp_path)


def as_we_do(messages: Sequence[bytes]) -> list[Dissected]:
    found = []
    for message in messages:
        try:
            found.append(Dissected(recognised=True, fields=fields_of(decode_header(message)[0])))
        except DecodeError:
            found.append(Dissected(recognised=False))
    return found


def test_a_corpus_is_counted_by_what_both_say(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli_tshark, "dissect", as_we_do)

    assert run(corpus, "--mutations", "0") == 0

    assert capsys.readouterr().out == (
        "2 headers: 1 read alike, 1 refused by both, 0 of words that the dissector knows nothing"
        " of, 0 left out; 0 disagreements\n"
    )


def test_a_disagreement_is_printed_and_ends_with_status_1(
    corpus: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        cli_tshark, "dissect", lambda messages: [Dissected(recognised=False)] * len(messages)
    )

    assert run(corpus, "--mutations", "0") == 1

    assert f"{HEADER.hex()}: ours: xid 24301" in capsys.readouterr().err
