"""`rpcrdma dev seeds`: the same run gives the same seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.main import main
from fuzz.registry import find_harness, harness_names
from fuzz.sequence import split

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_same_run_gives_the_same_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["certify", "reference", "--section", "4.5.1", "--output", str(run)]) == 0
    capsys.readouterr()
    for corpus in ("one", "two"):
        assert main(["dev", "seeds", str(run), "--corpus", str(tmp_path / corpus)]) == 0
    lines = capsys.readouterr().out.splitlines()
    own = [name for name in harness_names() if not find_harness(name).corpus]
    assert [line.partition(": ")[0] for line in lines] == own * 2
    names = [
        sorted(path.name for path in (tmp_path / corpus).rglob("*")) for corpus in ("one", "two")
    ]
    assert names[0] == names[1]
    sequences = [path.read_bytes() for path in (tmp_path / "one" / "v1-responder").iterdir()]
    assert all(split(sequence) for sequence in sequences)


def test_only_the_corpus_of_a_named_harness_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, corpus = str(tmp_path / "run"), tmp_path / "corpus"
    assert main(["certify", "reference", "--section", "4.5.1", "--output", run]) == 0

    assert main(["dev", "seeds", run, "v1-header", "--corpus", str(corpus)]) == 0
    assert main(["dev", "seeds", run, "v1-header-c", "--corpus", str(corpus)]) == 0
    assert [folder.name for folder in corpus.iterdir()] == ["v1-header"]

    assert main(["dev", "seeds", run, "v9", "--corpus", str(corpus)]) == 2
    assert "no harness is called 'v9'" in capsys.readouterr().err
