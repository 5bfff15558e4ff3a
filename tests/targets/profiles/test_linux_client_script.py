"""The resident program of the linux-client profiles, on a folder that nobody has mounted."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp.file_tree import PLAIN
from rpcrdma.ulp.pattern import pattern
from targets.acts import Prints
from targets.base import ActKind
from targets.profile import SHIPPED
from targets.registry import find_profile
from targets.upper_tester.local_place import LocalPlace
from targets.upper_tester.program import UpperTesterProgram
from targets.upper_tester.resident import Resident, ToldRun

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from targets.base import ActResult

STOP = 10.0


class Client:
    """The script, at work in a folder."""

    def __init__(self, folder: Path) -> None:
        self.mounted = folder / "m"
        script = SHIPPED / "linux_client.pl"
        words = ("perl", str(script), str(self.mounted), "10.9.0.1:/")
        self.place = LocalPlace()
        self.resident = Resident(UpperTesterProgram("resident", words, {}, speaks=True))

    def tell(self, line: str, prints: Prints = Prints.NOTHING, output: str = "") -> ActResult:
        fetch = partial(self.place.fetch, output)
        run = ToldRun("act", self.resident, line, prints, fetch, STOP)
        while (ended := run.poll()) is None:
            os.sched_yield()
        return ended

    def close(self) -> None:
        self.resident.close()
        assert self.resident.await_end(STOP)
        self.place.close()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    (made.mounted / "many").mkdir(parents=True)
    yield made
    made.close()


@pytest.mark.parametrize("line", ["small", "many 3", "list"])
def test_what_can_be_done_is_done(client: Client, line: str) -> None:
    assert client.tell(line).done
    assert client.tell(line).done


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("small", "stat: No such file or directory"),
        ("many 3", "3 of 3 failed"),
        ("list", "open: No such file or directory"),
        ("read 4096 OUTPUT", "open: No such file or directory"),
        ("many-reads 4096 2 OUTPUT", "2 of 2 failed"),
        ("write 4 CONTENT", "open: No such file or directory"),
        ("write 9 CONTENT", "CONTENT: too short"),
        ("read-at 1 2 OUTPUT", "open: No such file or directory"),
        ("read-cached 1 2 OUTPUT", "open: No such file or directory"),
        ("read-mapped 1 2 OUTPUT", "open: No such file or directory"),
        ("list-names 2 OUTPUT", "open: No such file or directory"),
        ("set-list posix", "setxattr: No such file or directory"),
        ("set-list nfs4", "setxattr: No such file or directory"),
        ("exchange krb5i 4 CONTENT OUTPUT", "mount: "),
        ("mount-again", "umount: "),
        ("unmount", "umount: "),
    ],
)
def test_nothing_is_done_without_a_mount(tmp_path: Path, line: str, why: str) -> None:
    content = tmp_path / "what is stored"
    content.write_bytes(b"abcd")
    client = Client(tmp_path)

    told = client.tell(
        line.replace("CONTENT", str(content)).replace("OUTPUT", str(tmp_path / "fetched"))
    )

    assert not told.done
    assert told.detail.startswith(why.replace("CONTENT", str(content)))
    client.close()


@pytest.fixture
def files(client: Client, tmp_path: Path) -> tuple[Path, str]:
    """Of a file system that is there: where what is fetched is, and the file of what is stored."""
    (client.mounted / "plain").write_bytes(PLAIN.content)
    content = tmp_path / "content"
    content.write_bytes(pattern(30000))
    return tmp_path / "fetched", str(content)


# Past the cache most file systems read whole blocks only, if they do: NFS alone shows `read-at`.
@pytest.mark.parametrize("word", ["read-cached", "read-mapped"])
@pytest.mark.parametrize(("offset", "length"), [(0, 1), (4095, 2), (5000, 30001)])
def test_what_is_read_is_what_is_there(
    client: Client, files: tuple[Path, str], word: str, offset: int, length: int
) -> None:
    fetched, _ = files

    told = client.tell(f"{word} {offset} {length} {fetched}", Prints.DATA, str(fetched))

    assert told.data == PLAIN.content[offset : offset + length]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("write-at 1 2", "open: No such file or directory"),
        ("write-at 1 9", "CONTENT: too short"),
        ("write-cached 1 2", "open: No such file or directory"),
        ("write-mapped 1 2", "open: No such file or directory"),
        ("write-mapped 1 9", "CONTENT: too short"),
        ("keep-attribute 2", "setxattr: No such file or directory"),
        ("keep-list 2", "setxattr: No such file or directory"),
        ("make-link 2", "symlink: No such file or directory"),
    ],
)
def test_nothing_is_stored_without_a_mount(tmp_path: Path, line: str, why: str) -> None:
    content = tmp_path / "stored"
    content.write_bytes(b"abcd")
    client = Client(tmp_path)

    told = client.tell(f"{line} {content} {tmp_path}/fetched")

    assert not told.done
    assert told.detail.startswith(why.replace("CONTENT", str(content)))
    client.close()


def test_names_are_told_in_order(client: Client, files: tuple[Path, str]) -> None:
    fetched, _ = files
    for name in ("c", "a", "b"):
        (client.mounted / "list-3").mkdir(exist_ok=True)
        (client.mounted / "list-3" / name).touch()

    told = client.tell(f"list-names 3 {fetched}", Prints.DATA, str(fetched))

    assert told.data == b"a\nb\nc"


def test_a_link_that_cannot_be_read_is_removed(client: Client, files: tuple[Path, str]) -> None:
    fetched, content = files

    told = client.tell(f"make-link 20 {content} {fetched}")

    assert told.detail.startswith("mount: ")
    assert not (client.mounted / "made").is_symlink()
    assert not client.mounted.with_name("m-2").exists()


def test_a_word_that_it_does_not_know_is_a_failure(client: Client) -> None:
    assert not client.tell("dance").done
    assert client.tell("small").done


PROFILES = (
    "linux-client",
    "linux-client-krb5",
    "linux-client-nfs40",
    "linux-client-nfs41",
    "linux-client-nfs42",
)


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_tells_it_each_act_by_a_word_that_it_knows(name: str) -> None:
    known = re.findall(r"^    '([a-z-]+)' => sub", (SHIPPED / "linux_client.pl").read_text(), re.M)
    acts = find_profile(name).acts
    assert acts is not None

    commands = {kind: acts.of(kind) for kind in ActKind}
    told = {kind: one.tell.split()[0] for kind, one in commands.items() if one is not None}

    assert acts.staying.words[:2] == ("perl", "{here}/linux_client.pl")
    alone = {
        "exchange": "krb5" in name,
        "keep-list": "nfs4" in name,
        "keep-attribute": name == "linux-client-nfs42",
    }  # what needs a version of NFS, or a realm
    assert set(told.values()) == {one for one in known if alone.get(one, True)}
