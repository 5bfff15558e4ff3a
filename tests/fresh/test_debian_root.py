"""The folder of a root, its limits, and how commands enter it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from tests.fresh import debian_root
from tests.fresh.debian_root import DebianRoot, below, emptied, must_be_possible
from tests.fresh.errors import NotHere, StepFailed


@pytest.fixture
def shown() -> list[str]:
    return []


@pytest.fixture
def root(tmp_path: Path, shown: list[str]) -> DebianRoot:
    """A root whose `unshare` is a script that tells its first arguments and runs the last one."""
    unshare = tmp_path / "bin" / "unshare"
    unshare.parent.mkdir()
    unshare.write_text(
        '#!/bin/sh\necho "$1 $2 $3 $4 $5"\nfor last; do :; done\nexec sh -ec "$last"'
    )
    unshare.chmod(0o755)
    (tmp_path / "debian").mkdir()
    environment = {"PATH": f"{unshare.parent}:{os.environ['PATH']}"}
    return DebianRoot(tmp_path / "debian", environment, shown.append)


def test_a_command_has_name_spaces_of_its_own_and_is_shown_as_it_runs(
    root: DebianRoot, shown: list[str]
) -> None:
    status, said = root.run("echo hello; exit 3", 20)
    assert status == 3
    assert said.splitlines() == shown == ["--mount --pid --fork --kill-child sh", "hello"]


@pytest.mark.parametrize(("user", "home"), [("root", "/root"), ("somebody", "/home/somebody")])
def test_a_command_is_that_of_a_user_at_home(root: DebianRoot, user: str, home: str) -> None:
    (root.folder.parent / "bin" / "unshare").write_text(
        '#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done; echo "$1"; exec sh -ec "$2"'
    )
    _, said = root.run("echo $HOME", 20, user)
    assert said.splitlines() == [f"{user}:", home]


def test_a_user_that_cannot_be_made_is_a_failed_step(root: DebianRoot) -> None:
    (root.folder.parent / "bin" / "useradd").write_text("#!/bin/sh\necho no; exit 3\n")
    (root.folder.parent / "bin" / "useradd").chmod(0o755)
    with pytest.raises(StepFailed, match="there is no user somebody: "):
        root.add_user("somebody")


def test_what_is_told_of_entering_is_shown_too(root: DebianRoot, shown: list[str]) -> None:
    assert root.run("echo cannot mount >&2; exit 32", 20)[0] == 32
    assert shown[-1] == "cannot mount"


def test_a_command_that_hangs_is_a_failed_step(root: DebianRoot) -> None:
    with pytest.raises(StepFailed, match="it did not end within 0 s"):
        root.run("sleep 1000", 0.2)


def test_a_root_that_cannot_be_made_is_a_failed_step(
    root: DebianRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", root.environment["PATH"])
    with pytest.raises(StepFailed, match="mmdebstrap made no root"):
        root.make("bookworm", Path("sources.list"), Path("apt.conf"), 20)


def test_files_are_written_and_read_by_their_path_in_the_root(root: DebianRoot) -> None:
    root.write("/etc/pip.conf", b"[global]", mode=0o600)
    assert root.read("/etc/pip.conf") == b"[global]"
    assert (root.folder / "etc/pip.conf").stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_an_earlier_run_or_of_this_one(tmp_path: Path) -> None:
    folder = tmp_path / "debian"
    (folder / "old").mkdir(parents=True)

    def interrupted() -> None:
        with emptied(folder) as place:
            assert not place.exists()
            place.mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not folder.exists()


def test_a_folder_in_which_a_killed_command_still_writes_is_emptied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "debian"
    folder.mkdir()
    remove, refusals = shutil.rmtree, [OSError(errno.ENOTEMPTY, "not empty")]

    def rmtree(path: Path) -> None:
        if refusals:
            raise refusals.pop()
        remove(path)

    monkeypatch.setattr("shutil.rmtree", rmtree)
    with emptied(folder):
        assert not folder.exists()

    monkeypatch.setattr(debian_root, "_ENDING_S", 0.0)
    folder.mkdir()
    refusals.append(OSError(errno.EPERM, "not permitted"))
    with pytest.raises(OSError, match="not permitted"):
        emptied(folder).__enter__()


def test_a_folder_with_a_mount_in_it_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.rmtree", lambda folder: pytest.fail("it would have been emptied"))
    context = emptied(Path("/proc"))
    with pytest.raises(NotHere, match=r"/proc is mounted, and /proc is to be emptied: unmount"):
        context.__enter__()


def test_mount_points_are_told_from_their_neighbours() -> None:
    mounts = "".join(
        f"{number} 1 0:22 / {point} rw - proc proc rw\n"
        for number, point in enumerate(("/", "/a/debian", "/a/debian/proc", "/a/debian-2/proc"))
    )
    assert below(Path("/a/debian"), mounts) == ["/a/debian", "/a/debian/proc"]
    assert below(Path("/a/other"), mounts) == []


def test_whoever_cannot_make_a_root_is_told_why() -> None:
    must_be_possible(0, lambda name: f"/usr/bin/{name}")
    with pytest.raises(NotHere, match=r"only root may make a root .*: run as root"):
        must_be_possible(1000, lambda name: f"/usr/bin/{name}")
    with pytest.raises(NotHere, match="mmdebstrap is missing: apt-get install mmdebstrap"):
        must_be_possible(0, lambda name: None)
