"""Blocks of a guest and of those that take its place, with files that nobody's plugin fills."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from fuzz.live import counted_guest as module
from fuzz.live.block_file import BlockFile
from fuzz.live.counted_guest import CountedGuest, TranslatedBlocks
from fuzz.live.coverage import Block
from fuzz.live.symbols import Symbols
from targets.lab.errors import LabError
from targets.standing.setup import StandingSetup
from tests.fuzz.live.test_block_file import put

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPACITY = 8
ADDRESSES, COUNTS, USED = 4, 4 + CAPACITY, 2
BASE = 0xFFFF_FFFF_C000_0000
MODULES = frozenset({"rpcrdma"})
RECEIVE, SEND = Block("rpcrdma", "receive", 0), Block("rpcrdma", "send", 0)


def symbols(base: int = BASE) -> Symbols:
    return Symbols(
        [
            f"{base:x} t receive [rpcrdma]",
            f"{base + 16:x} t send [rpcrdma]",
            f"{base + 32:x} t other [nfsd]",
        ]
    )


@pytest.fixture
def blocks() -> Iterator[TranslatedBlocks]:
    made = TranslatedBlocks(MODULES)
    yield made
    made.close()


def filled(base: int, *counts: int) -> BlockFile:
    """A file with three blocks, one of each function."""
    file = BlockFile(CAPACITY)
    put(file, ADDRESSES, base, base + 16, base + 32)
    put(file, COUNTS, *counts)
    put(file, USED, len(counts))
    return file


def test_only_what_changes_since_the_beginning_is_told(blocks: TranslatedBlocks) -> None:
    file = filled(BASE, 3, 0, 5)
    blocks.count(file, symbols)
    blocks.begin()
    assert blocks.since() == frozenset()
    assert blocks.reached() == {RECEIVE}
    put(file, COUNTS, 4, 0, 6)
    assert blocks.since() == {RECEIVE}
    blocks.begin()
    assert blocks.since() == frozenset()


def test_a_block_that_is_translated_meanwhile_is_new(blocks: TranslatedBlocks) -> None:
    file = filled(BASE, 3)
    blocks.count(file, symbols)
    blocks.begin()
    put(file, COUNTS + 1, 1, 1)
    put(file, USED, 3)
    assert blocks.since() == {SEND}  # the third is of no module that was asked for


def test_what_was_reached_in_a_guest_that_is_dead_is_kept(blocks: TranslatedBlocks) -> None:
    blocks.count(filled(BASE, 1, 0, 0), symbols)
    blocks.begin()
    moved = BASE + 0x10_0000
    blocks.count(filled(moved, 0, 1, 0), lambda: symbols(moved))
    assert blocks.since() == {SEND}  # nothing was remembered of this guest yet
    blocks.begin()
    assert blocks.reached() == {RECEIVE, SEND}
    assert blocks.functions() == {("rpcrdma", "receive"), ("rpcrdma", "send")}


def test_a_guest_that_never_came_up_adds_nothing(blocks: TranslatedBlocks) -> None:
    blocks.count(filled(BASE, 1), symbols)
    assert blocks.reached() == frozenset()
    assert blocks.functions() == frozenset()


def test_nothing_is_counted_before_there_is_a_guest(blocks: TranslatedBlocks) -> None:
    blocks.begin()
    assert blocks.since() == blocks.reached() == frozenset()


class FakeGuest:
    """What a guest is started with, and what it says of its symbols."""

    release = "6.1-test"

    def __init__(self, plugin: str, listed: bytes) -> None:
        self.plugin = plugin
        self.closed = False
        self.agent = SimpleNamespace(run=lambda _words: SimpleNamespace(output=listed))

    def close(self) -> None:
        self.closed = True


def started(monkeypatch: pytest.MonkeyPatch, listed: bytes) -> list[FakeGuest]:
    guests: list[FakeGuest] = []

    def start(_setup: object, _kernel: object, plugin: str) -> FakeGuest:
        guests.append(FakeGuest(plugin, listed))
        return guests[-1]

    monkeypatch.setattr(module, "compile_plugin", lambda folder: folder / "coverage.so")
    monkeypatch.setattr(module.StandingGuest, "start", start)
    return guests


def test_each_guest_has_the_plugin_and_a_file_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    guests = started(monkeypatch, f"{BASE:x} t receive [rpcrdma]\n".encode())
    with CountedGuest(StandingSetup(), None, MODULES, print) as counted:
        library, counts, first, end = guests[0].plugin.split(",")
        path = Path(counts.removeprefix("counts="))
        assert Path(library).parent.is_dir()
        assert path.read_bytes().startswith(b"RPCBLKS1")
        assert (first, end) == ("from=0xffffffffc0000000", "to=0xffffffffff000000")
        counted.coverage.begin()
        assert counted.coverage.functions() == {("rpcrdma", "receive")}
    assert guests[0].closed
    assert not path.exists()
    assert not Path(library).parent.exists()


def test_a_guest_that_hides_its_symbols_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    started(monkeypatch, b"")
    with (
        CountedGuest(StandingSetup(), None, MODULES, print) as counted,
        pytest.raises(LabError, match="no modules"),
    ):
        counted.coverage.begin()


def test_a_file_is_let_go_of_where_no_guest_can_be_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(*_: object, **__: object) -> None:
        raise LabError("booting the lab", "there is no kernel")

    started(monkeypatch, b"")
    monkeypatch.setattr(module.StandingGuest, "start", start)
    with pytest.raises(LabError, match="no kernel"):
        CountedGuest(StandingSetup(), None, MODULES, print)
