"""What reports call the kinds of outcome."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from conformance.oracle.outcome import AnsweringOutcome, ErrChunk, Outcome, Silent
from conformance.tester.client import build
from conformance.verify.words import SENTENCES, sentences

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer


def test_every_kind_of_outcome_has_a_name() -> None:
    assert set(SENTENCES) == _below(Outcome) - {AnsweringOutcome}


def _below(kind: type[Outcome]) -> set[type[Outcome]]:
    """Every subclass, at whatever depth; slots make each class twice, of which one is used."""
    kinds = {sys.modules[one.__module__].__dict__[one.__name__] for one in kind.__subclasses__()}
    return kinds | {deeper for one in kinds for deeper in _below(one)}


def test_an_err_chunk_is_a_bad_header_in_version_two(peer: Peer) -> None:
    one, two = (build.null_call(peer, version=version) for version in (1, 2))

    assert sentences((ErrChunk, Silent), one)[0].startswith("RDMA_ERROR with ERR_CHUNK")
    assert sentences((ErrChunk, Silent), two) == (
        "RDMA2_ERROR with BAD_HEADER, the call's XID and version",
        "silence",
    )
