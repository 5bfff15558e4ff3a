"""The compiler's command line: exit status, and one sentence for a fault."""

# Arguments are pytest's own fixtures:
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

from rpcrdma.xdr.__main__ import main


def test_check_passes_on_this_checkout():
    assert main(["check"]) == 0


def test_check_fails_where_nothing_was_generated(tmp_path, capsys):
    (tmp_path / "rpcrdma" / "spec").mkdir(parents=True)
    (tmp_path / "rpcrdma" / "spec" / "one.x").write_text("struct s { int a; };")

    assert main(["check", "--root", str(tmp_path)]) == 1
    assert "one.dict is not what its specification generates" in capsys.readouterr().err


def test_lint_tells_the_place_of_a_fault(tmp_path, capsys):
    path = tmp_path / "bad.x"
    path.write_text("struct s { int a }")

    assert main(["lint", str(path)]) == 2
    assert "line 1, column 18" in capsys.readouterr().err
