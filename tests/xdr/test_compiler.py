"""The compiler as a tool: exit status, and the place of a fault."""

# Arguments are pytest's own fixtures:
# ruff: noqa: ANN001, ANN002, ANN201

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from rpcrdma.xdr.compiler import add_arguments, run
from rpcrdma.xdr.parse import XdrError


def compiled(*words):
    parser = ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(words))


def test_check_passes_on_this_checkout():
    assert compiled("check") == 0


def test_check_fails_where_nothing_was_generated(tmp_path, capsys):
    (tmp_path / "rpcrdma" / "spec").mkdir(parents=True)
    (tmp_path / "rpcrdma" / "spec" / "one.x").write_text("struct s { int a; };")

    assert compiled("check", "--root", str(tmp_path)) == 1
    assert "one.dict is not what its specification generates" in capsys.readouterr().err


def test_what_is_generated_is_what_is_checked(tmp_path, capsys):
    (tmp_path / "rpcrdma" / "spec").mkdir(parents=True)
    (tmp_path / "rpcrdma" / "spec" / "one.x").write_text("struct s { int a; };")

    assert compiled("generate", "--root", str(tmp_path)) == 0
    assert compiled("check", "--root", str(tmp_path)) == 0
    assert "one.dict" in capsys.readouterr().out


def test_lint_says_the_place_of_a_fault(tmp_path):
    path = tmp_path / "bad.x"
    path.write_text("struct s { int a }")

    with pytest.raises(XdrError, match=r"bad\.x: line 1, column 18"):
        compiled("lint", str(path))
