"""Objects as lines, however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from targets.standing import lines
from targets.standing.lines import LineSplitter, as_line, as_octets, as_text

SAID = ({"id": 1, "do": "run", "words": ["a\nb", "ü"]}, {"id": 2, "ok": None})


@given(st.integers(1, 40))
def test_a_stream_cut_anywhere_gives_the_objects(size: int) -> None:
    stream = b"".join(map(as_line, SAID))
    splitter = LineSplitter()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [said for piece in pieces for said in splitter.feed(piece)] == list(SAID)


@given(st.binary())
def test_octets_travel_whole(octets: bytes) -> None:
    assert as_octets(as_text(octets)) == octets
    assert "\n" not in as_text(octets)


@pytest.mark.parametrize("line", [b"[1]\n", b"{\n", b"\n"])
def test_what_is_no_object_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting"):
        LineSplitter().feed(line)


def test_a_line_without_end_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_MOST", 10)
    splitter = LineSplitter()
    splitter.feed(b"0123456789")
    with pytest.raises(ValueError, match="more than 10 octets"):
        splitter.feed(b"0")
