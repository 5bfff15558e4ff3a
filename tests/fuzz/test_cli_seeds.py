"""`rpcrdma dev seeds`: the same run gives the same seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.main import main
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
    assert capsys.readouterr().out.splitlines()[0].startswith("v1-header: ")
    names = [
        sorted(path.name for path in (tmp_path / corpus).rglob("*")) for corpus in ("one", "two")
    ]
    assert names[0] == names[1]
    sequences = [path.read_bytes() for path in (tmp_path / "one" / "v1-responder").iterdir()]
    assert all(split(sequence) for sequence in sequences)
