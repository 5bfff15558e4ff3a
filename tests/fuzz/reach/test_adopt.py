"""Inputs that are taken into a corpus: those with which it reaches more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.reach.adopt import adopt, needed
from tests.fuzz.reach.test_measure import ERROR, GOOD

if TYPE_CHECKING:
    from pathlib import Path


def test_what_others_reach_is_not_taken(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("kept", "same", "more", "less")]
    for path in paths:
        path.write_bytes(b"x")
    kept, same, more, less = paths
    branches = [frozenset(text) for text in (b"ab", b"ab", b"acde", b"ad")]

    taken = needed({kept: branches[0]}, dict(zip((same, more, less), branches[1:], strict=True)))

    assert taken == (more,)


@pytest.mark.long
def test_a_corpus_takes_what_it_lacks_and_no_more(tmp_path: Path) -> None:
    corpus, folder = tmp_path / "corpus", tmp_path / "offered"
    folder.mkdir()
    for name, octets in (("good", GOOD), ("again", GOOD[:3] + b"\x08" + GOOD[4:]), ("bad", ERROR)):
        (folder / name).write_bytes(octets)

    assert adopt("v1-header", corpus, folder) == (3, 2)
    assert adopt("v1-header", corpus, folder) == (3, 0)
    assert len(list(corpus.iterdir())) == 2


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no inputs"):
        adopt("v1-header", tmp_path / "corpus", tmp_path / "none")
