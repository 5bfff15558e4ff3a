"""What a guest is given, and what this machine cannot give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.resources import USUAL, Resources, host_mebibytes, resources_of
from targets.profile import Lab

if TYPE_CHECKING:
    from pathlib import Path


def test_what_the_table_says_is_given(tmp_path: Path) -> None:
    folder = str(tmp_path)
    lab = Lab(memory="512M", processors=3, parameters=("nosmt",), shares=(folder,), boot=9.0)
    assert resources_of(lab) == Resources(512, 3, ("nosmt",), (folder,), 9.0)


def test_gibibytes_are_1024_mebibytes() -> None:
    assert resources_of(Lab(memory="1G")).memory == "1024M"


@pytest.mark.parametrize("lab", [None, Lab()])
def test_what_is_usual_needs_no_word(lab: Lab | None) -> None:
    assert resources_of(lab) == USUAL


def test_all_memory_of_this_machine_can_be_given() -> None:
    assert resources_of(Lab(memory=f"{host_mebibytes()}M")).mebibytes == host_mebibytes()


def test_more_memory_than_this_machine_has_is_refused() -> None:
    most = host_mebibytes()
    sentence = f"`memory` is {most + 1}M, and this machine has {most}M; give less"
    with pytest.raises(LabError, match=sentence):
        resources_of(Lab(memory=f"{most + 1}M"))


def test_memory_in_which_nothing_boots_is_refused() -> None:
    with pytest.raises(LabError, match="`memory` is 255M, in which no guest boots; give at least"):
        resources_of(Lab(memory="255M"))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(LabError, match=f"`shares` has {missing}, and there is no such folder"):
        resources_of(Lab(shares=(str(missing),)))


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda _path, _mode: False)
    with pytest.raises(LabError, match=f"`shares` has {tmp_path}, which you may not write to"):
        resources_of(Lab(shares=(str(tmp_path),)))
