"""A kernel's client mounts our endpoint by NFSv3 over RDMA and does what people do with files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp.file_tree import CROWD, DIRECTORY, LINK, LONG_NAMED, file_of_size
from targets.lab.lab import Ending, LabRun, run_in_lab
from targets.lab.setup import GuestSetup, LabServer, ServerKind

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]

# Everything that could hang has `timeout` before it; `soft` lets calls end that get no reply.
SCRIPT = r"""
cd $(mktemp -d) && mkdir m && mkfifo end
(cd "$0" && exec python -m targets.nfs.service --listen 10.9.0.1:20049) <end >out 2>err &
server=$!
exec 9>end
until [ -s out ] || ! kill -0 $server; do sleep 0.1; done
read where word port <out
options=vers=3,proto=rdma,port=20049,mountproto=tcp,mountport=$port,nolock,noacl
timeout 30 mount -i -t nfs -o $options,addr=10.9.0.1,soft,timeo=100,retrans=1 10.9.0.1:/ m || exit 4
say() { echo "$1 = $(timeout 30 sh -c "$2" 2>&1)"; }
forget() { echo 3 >/proc/sys/vm/drop_caches; }

say status 'stat -c "%s %a %h %F" m/size-65536'
say listed 'ls -l m/many | grep -c entry-'
say crowd 'ls -U m/crowd | wc -l'
say link 'readlink m/link | sha256sum'
say longest 'ls m | grep -c "^n\{255\}$"'
say read 'sha256sum <m/size-1048576'
head -c 300001 /dev/urandom >new
say copy 'cp new m/new && sync m/new && stat -c %s m/new'
forget
say same 'cmp new m/new && echo yes'
target=$(head -c 3000 /dev/zero | tr "\0" t)
say symlink "ln -s $target m/far && readlink m/far | wc -c"
say moved 'mkdir m/d && mv m/new m/d/newer && ln m/d/newer m/d/hard && stat -c %h m/d/hard'
say changed 'truncate -s 5 m/d/hard && chmod 640 m/d/newer && stat -c "%s %a" m/d/newer'
say full 'rmdir m/d'
say gone 'rm -r m/d m/far && ls m | grep -c "^d$\|^far$"'
forget
for reader in $(seq 16); do
    timeout 30 dd if=m/size-1048576 bs=65536 iflag=direct status=none | sha256sum &
    readers="$readers $!"
done >many
for reader in $readers; do wait $reader || echo "a reader failed"; done
say readers 'sort many | uniq -c | tr -s " " | cut -d" " -f2'
say room 'stat -f -c "%s %l" m'
grep -o 'xprt:.rdma .*' /proc/self/mountstats
timeout 30 umount m; echo "umount = $?"
exec 9>&-; wait $server; echo "server = $?"; cat err
"""


@pytest.fixture(scope="module")
def told() -> Mapping[str, str]:
    """What the script said: `key = value`, and the transport's counters as `xprt`."""
    lines: list[str] = []
    command = ("bash", "-c", SCRIPT, str(ROOT))
    setup = GuestSetup(command, str(ROOT), server=LabServer(ServerKind.NONE))
    result = run_in_lab(LabRun(setup, 180), lines.append)
    assert (result.ending, result.status) == (Ending.EXITED, 0), lines
    found = dict(line.split(" = ", 1) for line in lines if " = " in line)
    counters = [line.split("rdma ", 1)[1] for line in lines if "xprt:" in line]
    return {**found, "xprt": counters[-1]}


def digest(content: bytes) -> str:
    return f"{hashlib.sha256(content).hexdigest()}  -"


def test_attributes_and_names_are_seen(told: Mapping[str, str]) -> None:
    assert told["status"] == "65536 444 1 regular file"
    assert told["listed"] == str(len(DIRECTORY.entries))
    assert told["crowd"] == str(len(CROWD.entries))
    assert told["longest"] == "1"
    assert len(LONG_NAMED.name) == int(told["room"].split()[1])


def test_what_is_read_is_what_there_is(told: Mapping[str, str]) -> None:
    assert told["read"] == digest(file_of_size(1048576).content)
    assert told["link"] == digest(LINK.target.encode() + b"\n")


def test_what_is_written_is_read_back(told: Mapping[str, str]) -> None:
    assert (told["copy"], told["same"]) == ("300001", "yes")
    assert told["symlink"] == "3001"


def test_names_are_made_moved_and_removed(told: Mapping[str, str]) -> None:
    assert told["moved"] == "2"
    assert told["changed"] == "5 640"
    assert told["full"].endswith("Directory not empty")
    assert told["gone"] == "0"


def test_many_readers_are_served_at_once(told: Mapping[str, str]) -> None:
    assert told["readers"] == "16"


def test_one_connection_carried_chunks_of_every_kind(told: Mapping[str, str]) -> None:
    counters = [int(number) for number in told["xprt"].split()]
    # net/sunrpc/xprtrdma/transport.c, xprt_rdma_print_stats.  Its count of calls that could not be
    # marshalled is left out: it grows when readers come faster than memory is registered.
    connects, unknown, bad = counters[2], counters[7], counters[19]
    reads, writes, replies = counters[10:13]
    assert (connects, unknown, bad) == (1, 0, 0)
    assert min(reads, writes, replies) > 0


def test_both_ends_end_well(told: Mapping[str, str]) -> None:
    assert (told["umount"], told["server"]) == ("0", "0")
