"""Wireshark's dissector of Version Two: what is shipped is what the tables say."""

from __future__ import annotations

from rpcrdma.wire.dissector import DISSECTOR, dissector_text
from rpcrdma.wire.operations import OPERATIONS
from rpcrdma.wire.properties import PROPERTIES


def test_the_file_is_what_its_sources_make() -> None:
    """`python -m rpcrdma.wire.dissector` writes it anew."""
    assert DISSECTOR.read_text(encoding="utf-8") == dissector_text()


def test_every_operation_and_property_has_a_row_with_its_type() -> None:
    text = dissector_text()

    for row in (*OPERATIONS, *PROPERTIES):
        said = f'constant = "{row.constant}", document = "{row.document}"'
        assert text.count(f"[{row.code}] = {{{said}") == 1
        assert f'name = "{row.contents.__name__}", kind = "structure"' in text


def test_only_what_begins_an_rpc_message_is_followed_by_one() -> None:
    begins = {row.constant for row in OPERATIONS if row.begins_rpc}

    lines = [line for line in dissector_text().splitlines() if "begins_rpc = true" in line]

    assert {name for line in lines for name in begins if f'"{name}"' in line} == begins
    assert len(lines) == len(begins) == 2
