"""The file of results: what is kept, where a run goes on, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.bad_input import BadInput
from conformance.proof.detect.results import (
    Fate,
    Head,
    ResultsFile,
    Tried,
    read_results,
)
from conformance.proof.kept_results import write_kept

if TYPE_CHECKING:
    from pathlib import Path

HEAD = Head("digest", "commit", 7, "rpcrdma.endpoint", 100)


def tried(identity: str = "m:1:0:compare:0", outcome: Fate = Fate.NAMED) -> Tried:
    return Tried(identity, "m", "f", "compare", "a becomes b", "0123", outcome)


def test_what_was_added_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    file = ResultsFile(path, HEAD)
    file.add(tried())
    file.close()

    assert read_results(path) == (HEAD, (tried(),))


def test_a_record_of_earlier_is_readable(tmp_path: Path) -> None:
    """It does not say in which cases a fault shows."""
    path = tmp_path / "faults.jsonl"
    line = msgspec.to_builtins(tried())
    for name in ("seen", "seen_in", "difference"):
        del line[name]
    path.write_bytes(msgspec.json.encode(HEAD) + b"\n" + msgspec.json.encode(line) + b"\n")

    assert read_results(path) == (HEAD, (tried(),))


def test_half_a_line_is_not_there(tmp_path: Path) -> None:
    """A run that was killed goes on before what it was writing."""
    path = tmp_path / "faults.jsonl"
    write_kept(path, HEAD, [tried("a"), tried("b")])
    path.write_bytes(path.read_bytes()[:-10])

    file = ResultsFile(path, HEAD)
    file.add(tried("c"))
    file.close()

    assert [one.id for one in read_results(path)[1]] == ["a", "c"]


def test_the_commit_is_that_of_the_first_run(tmp_path: Path) -> None:
    """What has changed since decides on nothing, or the digest would be another."""
    path = tmp_path / "faults.jsonl"
    write_kept(path, HEAD, [])

    file = ResultsFile(path, msgspec.structs.replace(HEAD, commit="later"))
    file.close()

    assert file.head == HEAD


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(HEAD, digest="other"),
        msgspec.structs.replace(HEAD, seed=8),
        msgspec.structs.replace(HEAD, under="rpcrdma.endpoint.core"),
    ],
)
def test_results_of_something_else_are_refused(tmp_path: Path, other: Head) -> None:
    path = tmp_path / "faults.jsonl"
    write_kept(path, HEAD, [tried()])

    with pytest.raises(BadInput, match="name another folder with --output"):
        ResultsFile(path, other)

    assert read_results(path) == (HEAD, (tried(),))


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"type":"fault"}\n'])
def test_what_is_no_file_of_faults_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "faults.jsonl"
    path.write_text(text)

    with pytest.raises(BadInput, match="is no file of faults"):
        read_results(path)
