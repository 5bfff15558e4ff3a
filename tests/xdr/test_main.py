"""The compiler without the command line, which is made of what it generates."""

# Arguments are pytest's own fixtures:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import subprocess
import sys

import pytest

from rpcrdma.xdr.__main__ import main


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    assert "example: python -m rpcrdma.xdr" in capsys.readouterr().out


def test_a_fault_gets_one_sentence_and_status_two(tmp_path, capsys):
    path = tmp_path / "bad.x"
    path.write_text("struct s { int a }")

    assert main(["lint", str(path)]) == 2
    said = capsys.readouterr().err
    assert "line 1, column 18" in said
    assert said.count("\n") == 1


def test_it_needs_no_generated_file():
    """Else it could not be run where one is missing."""
    check = (
        "import sys, rpcrdma.xdr.__main__;"
        "sys.exit(any('_generated_' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
