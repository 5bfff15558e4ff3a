"""From a run to a baseline to a green run, as a person goes through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.main import BAD_INPUT, main
from reports.baseline import read_baseline

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CASE = "rfc8166/3.3.1/responder-never-grants-zero-credits"


def certify(target: str, folder: Path, *words: str) -> int:
    return main(["certify", target, "--case", CASE, "--output", str(folder), "--force", *words])


def test_a_run_with_known_deviations_is_green_until_something_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, results = tmp_path / "known.toml", tmp_path / "results"
    known = ("--baseline", str(file))
    assert certify("mutant:grants-zero", results) == 1
    assert main(["baseline", str(results), "-o", str(file)]) == 0
    count = sum(len(finding.case) for finding in read_baseline(file).finding)
    assert f"{count} deviations, {count} of them without a reason yet" in capsys.readouterr().out

    assert certify("mutant:grants-zero", results, *known) == BAD_INPUT
    assert "has no `why`" in capsys.readouterr().err

    file.write_text(file.read_text().replace('why = ""', 'why = "it is a mutant"'))
    assert certify("mutant:grants-zero", results, *known) == 0
    assert f"known FAIL   {count:3}  it is a mutant" in capsys.readouterr().out

    assert certify("reference", results, *known) == 1
    told = capsys.readouterr().out
    assert "The baseline lists FAIL, but the verdict is PASS now: remove the entry." in told

    assert main(["baseline", str(results), "-o", str(file)]) == 0
    assert "dropped, no such deviation any more" in capsys.readouterr().out
    assert certify("mutant:grants-zero", results, *known) == 1


def test_a_baseline_for_another_target_is_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "known.toml").write_text('target = "linux-server"')
    words = ("--baseline", str(tmp_path / "known.toml"))
    assert certify("reference", tmp_path / "results", *words) == BAD_INPUT
    assert "is for target `linux-server`, not for `reference`" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
