from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.client.harness import Harness
from conformance.tester.workload.base import Watched
from rpcrdma.ulp.file_tree import WRITABLE, pieces
from tests.conformance.embedded import damage, embedded, files_of_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from conformance.tester.sent import Request
    from rpcrdma.ulp.file_store import FileStore


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FileStore:
    return files_of_servers(monkeypatch)


@pytest.fixture
def started(tmp_path: Path, store: FileStore) -> Iterator[Callable[[str], Harness]]:
    """A device before its first section."""
    made: list[Harness] = []

    def start(binding: str) -> Harness:
        harness = Harness(embedded(tmp_path, binding))
        made.append(harness)
        harness.begin()
        harness.preflight()
        harness.end()
        return harness

    yield start
    for harness in made:
        harness.close()


@pytest.mark.parametrize("binding", ["nfs3", "nfs4"])
def test_damage_is_told_once_with_its_place(
    started: Callable[[str], Harness], store: FileStore, binding: str
) -> None:
    harness = started(binding)
    assert harness.facts == (("files", "compared after each section"),)
    harness.look()
    harness.end()
    damage(store, "size-1048576", 70000)
    with pytest.raises(Deviation) as found:
        harness.look()
    assert "size-1048576 from octet 65536 on: " in found.value.reason
    assert "2 of 65536 octets are wrong, from octet 4464 on: ffff" in found.value.reason
    harness.end()
    harness.look()
    assert harness.files.watched


def test_a_device_that_was_started_again_is_asked_by_its_own_calls(
    started: Callable[[str], Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are as they are for the device that is there now; what is watched stays the same."""
    harness = started("nfs3")
    assert isinstance(harness.workload, Watched)
    fresh = dict(harness.workload.untouched())
    gone = next(iter(fresh))
    del harness.files._pieces[gone]
    monkeypatch.setattr(harness.workload, "untouched", lambda: fresh)

    harness.files.renew()

    assert harness.files._pieces == {place: fresh[place] for place in fresh if place != gone}


def test_what_cases_write_is_not_watched(
    started: Callable[[str], Harness], store: FileStore
) -> None:
    harness = started("nfs4")
    damage(store, WRITABLE.name)
    harness.look()


def test_a_program_without_files_has_nothing_to_watch(started: Callable[[str], Harness]) -> None:
    harness = started("testprog")
    assert harness.facts == ()
    harness.look()
    assert not harness.files.watched


def test_a_piece_that_is_otherwise_from_the_first_is_not_watched(
    started: Callable[[str], Harness], store: FileStore
) -> None:
    damage(store, "size-4096")
    harness = started("nfs4")
    ((_, told),) = harness.facts
    assert told.startswith("compared after each section; not as expected: size-4096 from octet 0")
    harness.look()
    harness.end()
    damage(store, "size-1000")
    with pytest.raises(Deviation, match="size-1000"):
        harness.look()


def test_files_that_are_none_of_the_suites_are_not_watched(
    started: Callable[[str], Harness], store: FileStore
) -> None:
    for file, start, _ in pieces(65536):
        damage(store, file.name, start)
    ((_, told),) = started("nfs4").facts
    assert told.startswith("not compared; not as expected: size-1 from octet 0 on: ")


class _WrongOnce:
    """The requests of a workload, one of which finds fault with one answer alone."""

    def __init__(self, pieces: Mapping[str, Request]) -> None:
        self._answers = 0
        place, request = next(iter(pieces.items()))
        self.pieces = {**pieces, place: replace(request, check=self._check)}

    def _check(self, _call: bytes, _reply: bytes) -> str:
        self._answers += 1
        return "wrong" if self._answers == 2 else ""  # the first look is before the sections


def test_what_is_wrong_once_is_no_damage_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness(embedded(tmp_path, "nfs4"))
    assert isinstance(harness.workload, Watched)
    wrong = _WrongOnce(harness.workload.untouched())
    monkeypatch.setattr(harness.workload, "untouched", lambda: wrong.pieces)
    harness.begin()
    harness.preflight()
    harness.look()
    harness.close()


def test_a_device_that_is_gone_is_not_held_to_have_damaged_anything(
    started: Callable[[str], Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = started("nfs4")
    harness.session.close()
    monkeypatch.setattr(harness.session, "restart", lambda: None)
    with pytest.raises(Inconclusive, match="does not serve a good call"):
        harness.look()
