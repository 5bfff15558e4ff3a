"""How a release is made; that of this project is looked at in `tests/withheld`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.proof import release
from conformance.proof.kills import KILLS, Kill, read_kills, render
from conformance.proof.release import ROOT, Contents, make_release, trimmed
from conformance.proof.withheld import Withheld

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = Contents(
    frozenset({"d/1/a-does-this[x]", "d/1/a-does-this[y]", "d/2/b-does-that", "e/2/b-does-that"}),
    frozenset({"d/1/files-stay-whole"}),
    {"eats-all": "EatsAll", "goes-on": "GoesOn"},
)
LEFT = Contents(
    frozenset({"d/1/a-does-this[y]", "e/2/b-does-that"}),
    frozenset({"d/1/files-stay-whole"}),
    {"goes-on": "GoesOn"},
)
FINDING = '[[finding]]\nwhy = "{}"\nlink = "page.md#{}"\n'
CASE = '[[finding.case]]\nid = "{}"\nverdict = "FAIL"\ntext = "no [good]"\n'


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(BadInput, match="is not empty"):
        make_release(ROOT, tmp_path, Withheld())


def test_what_git_does_not_know_cannot_be_copied(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no working tree of git"):
        release.tracked(tmp_path)


def test_a_text_must_not_name_what_is_gone_altogether() -> None:
    """Neither a case of which other parameters are left, nor one that another document has."""
    more = Contents(WHOLE.cases | {"d/3/c-is-c"}, WHOLE.beside, WHOLE.mutants)

    assert WHOLE.names_beyond(LEFT) == {"eats-all", "EatsAll"}
    assert more.names_beyond(LEFT) == {"eats-all", "EatsAll", "c-is-c", "c_is_c"}


def test_files_that_name_it_are_found(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "page.md").write_text("It is c-is-c that does it.")
    (tmp_path / "other.md").write_bytes(b"\xff nothing")

    assert list(release._telling(tmp_path, frozenset({"c-is-c"}))) == [
        "folder/page.md has `c-is-c`"
    ]
    assert list(release._telling(tmp_path, frozenset())) == []


def test_a_baseline_keeps_the_cases_that_are_left_and_findings_with_one() -> None:
    kept = FINDING.format("One", "1"), CASE.format("d/1/a-does-this[y]")
    beside = CASE.format("d/1/files-stay-whole")
    gone = (
        CASE.format("d/1/a-does-this[x]"),
        FINDING.format("Two", "2"),
        CASE.format("d/2/b-does-that"),
    )
    head = 'target = "x"\n'

    assert trimmed("\n".join((head, *kept, *gone)), LEFT) == "\n".join((head, *kept))
    whole = "\n".join((head, *kept, beside))
    assert trimmed(whole, LEFT) == whole


def test_the_snapshot_of_the_matrix_keeps_what_is_left(tmp_path: Path) -> None:
    place = tmp_path / KILLS.relative_to(ROOT)
    place.parent.mkdir(parents=True)
    kills = (
        Kill("eats-all", ("d/2/b-does-that",), ()),
        Kill("goes-on", tuple(sorted(WHOLE.cases)), ("r",)),
    )
    place.write_text(render(kills))

    release._trim_kills(tmp_path, LEFT)

    assert read_kills(place) == {"goes-on": Kill("goes-on", tuple(sorted(LEFT.cases)), ("r",))}
    with pytest.raises(BadInput, match="no case is left that kills goes-on: withhold the mutants"):
        release._trim_kills(tmp_path, Contents(frozenset(), frozenset(), LEFT.mutants))


def test_what_cannot_be_imported_is_no_release(tmp_path: Path) -> None:
    place = tmp_path / "conformance" / "proof"
    place.mkdir(parents=True)
    (tmp_path / "conformance" / "__init__.py").touch()
    (place / "__init__.py").touch()
    (place / "release.py").write_text("import no_such_module")
    with pytest.raises(
        BadInput, match="cannot be used: ModuleNotFoundError: No module named 'no_s"
    ):
        release._ask(tmp_path)


def test_the_command_says_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release, "read_withheld", lambda _root: Withheld())
    monkeypatch.setattr(release, "make_release", lambda *_arguments: ("a.py",))
    parser = ArgumentParser()
    release.add_arguments(parser)

    assert release.run(parser.parse_args([str(tmp_path)])) == 0
    assert capsys.readouterr().out == (
        f"left out: a.py\n{tmp_path} is a release, without 1 files and its history\n"
    )
