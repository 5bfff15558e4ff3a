"""Programs and files of a client on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from targets.upper_tester import local_place
from targets.upper_tester.local_place import LocalPlace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def place() -> Iterator[LocalPlace]:
    made = LocalPlace()
    yield made
    made.close()


def test_each_folder_is_a_new_empty_one(place: LocalPlace) -> None:
    first, second = Path(place.make_folder()), Path(place.make_folder())

    assert first != second
    assert list(first.iterdir()) == list(second.iterdir()) == []


def test_what_is_stored_lies_in_one_file(place: LocalPlace) -> None:
    path = place.store("content-3", b"abc")

    assert Path(path).read_bytes() == b"abc"
    assert place.store("content-3", b"not again") == path
    assert Path(path).read_bytes() == b"abc"


def test_a_file_is_fetched_once(place: LocalPlace) -> None:
    path = place.new_file()
    assert not Path(path).exists()
    Path(path).write_bytes(b"abc")

    first, second = place.fetch(path), place.fetch(path)

    assert first.done
    assert first.content() == b"abc"
    assert second.content() is None


def test_a_program_is_started_here(place: LocalPlace) -> None:
    program = place.start("small", ("sh", "-c", "echo $MINE"), {"MINE": "x"}, speaks=False)

    assert program.await_end(5.0)
    assert program.output() == b"x\n"
    assert place.usage() is program.usage() is None  # it has ended, and this is no guest
    program.close()


def test_the_machine_is_dead_when_its_kernels_log_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Log:
        def death(self) -> str:
            return "panic in the kernel"

        def close(self) -> None:
            closed.append(1)

    monkeypatch.setattr(local_place, "KernelLog", Log)
    place = LocalPlace(kernel_log=True)

    assert place.alive() == "panic in the kernel"
    place.close()
    assert closed == [1]


def test_without_a_log_nothing_is_told(place: LocalPlace) -> None:
    assert place.alive() is None


def test_closing_takes_everything_away_but_what_is_not_ours(place: LocalPlace) -> None:
    folder = Path(place.make_folder())
    (folder / "still mounted").write_bytes(b"")
    stored = Path(place.store("content-1", b"a"))

    place.close()
    assert folder.exists()
    assert not stored.exists()

    (folder / "still mounted").unlink()
    place.close()
    assert not folder.parent.exists()
