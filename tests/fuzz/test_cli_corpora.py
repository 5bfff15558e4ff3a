"""`rpcrdma dev corpora`: what is printed, written and refused."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz import cli_corpora
from fuzz.reach.explained import Why, WhyUnreached
from tests.fuzz.reach.parts import MODULE, WIRE

if TYPE_CHECKING:
    from pathlib import Path


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    cli_corpora.add_parser(parser.add_subparsers())
    options = parser.parse_args(["corpora", *arguments])
    status: int = options.run(options)
    return status


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two modules, instead of what would take a minute to measure."""
    path = tmp_path / "corpora.md"
    monkeypatch.setattr(cli_corpora, "PAGE", path)
    monkeypatch.setattr(cli_corpora, "measure", lambda _corpora: {})
    monkeypatch.setattr(cli_corpora, "modules", lambda _files: (MODULE, WIRE))
    monkeypatch.setattr(cli_corpora, "read_explained", lambda: ())
    return path


def test_the_page_is_written_when_asked_for(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    printed = capsys.readouterr().out
    assert not page.exists()
    assert command("--write") == 0
    assert page.read_text("utf-8") in printed
    assert "rpcrdma/endpoint: 8 of 10 branches" in capsys.readouterr().out


@pytest.mark.usefixtures("page")
def test_what_nobody_has_explained_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--unexplained") == 0

    assert "endpoint.core.driver:Driver.wait: if self.gone: -> " in capsys.readouterr().out


@pytest.mark.usefixtures("page")
def test_a_stale_explanation_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = WhyUnreached("endpoint.core.gone:f", "", Why.ELSEWHERE, "So.")
    monkeypatch.setattr(cli_corpora, "read_explained", lambda: (stale,))

    with pytest.raises(BadInput, match=r"endpoint\.core\.gone:f"):
        command()


def test_inputs_are_taken_for_a_harness_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--adopt goes with the name of a harness"):
        command("--adopt", str(tmp_path))
    with pytest.raises(BadInput, match="no harness is called"):
        command("--adopt", str(tmp_path), "v9")
