"""Builds nfs-ganesha 6.5 with ntirpc 6.3 from Debian's sources, for the profiles beside this file.

    python build.py                  into the user's cache; seconds if it is there already
    python build.py --cache FOLDER   elsewhere

Debian 12's own packages have no RDMA, so the sources are those of Debian 13.  They come by apt from
the mirror that this machine uses already, under a configuration of their own: the machine's lists
and sources stay as they are, and apt checks signatures and digests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.private_apt import PrivateApt, mirrors, source
from targets.python_path import user_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BuildError", "build", "main", "missing_packages"]

HERE: Final = Path(__file__).parent
LINK: Final = HERE / "built"
"""Where start.py finds the build, in the guest as well."""

SERVER: Final = "6.5"
LIBRARY: Final = "6.3"
"""Versions of nfs-ganesha and of ntirpc, its library of RPC, which has the transport."""

PACKAGES: Final = (
    *("gcc", "make", "cmake", "bison", "flex", "e2fsprogs", "rpcbind"),
    *("libibverbs-dev", "librdmacm-dev", "liburcu-dev", "libkrb5-dev", "libnfsidmap-dev"),
    *("libcap-dev", "libblkid-dev", "uuid-dev", "libacl1-dev", "libattr1-dev"),
)
"""Debian's packages that it takes to build and to run it."""

_SUITE: Final = "trixie"
_ON: Final = ("USE_NFS_RDMA", "USE_FSAL_VFS")
_OFF: Final = (
    *(f"USE_FSAL_{name}" for name in ("PROXY_V4", "PROXY_V3", "LUSTRE", "LIZARDFS", "KVSFS")),
    *(f"USE_FSAL_{name}" for name in ("CEPH", "GPFS", "XFS", "GLUSTER", "NULL", "RGW", "MEM")),
    *("USE_FSAL_SAUNAFS", "USE_SYSTEM_NTIRPC", "USE_GSS", "USE_DBUS", "USE_NLM", "USE_RQUOTA"),
    *("USE_9P", "USE_LTTNG", "USE_MONITORING", "_MSPAC_SUPPORT", "USE_RADOS_RECOV"),
    *("RADOS_URLS", "USE_GUI_ADMIN_TOOLS", "USE_ADMIN_TOOLS"),
)
"""Options of its cmake: what no case asks for is left out, with what that would take to build."""

_PRODUCTS: Final = {
    "ganesha.nfsd": "ganesha.nfsd",
    f"MainNFSD/libganesha_nfsd.so.{SERVER}": f"lib/libganesha_nfsd.so.{SERVER}",
    f"libntirpc/src/libntirpc.so.{LIBRARY}": f"lib/libntirpc.so.{LIBRARY}",
    "FSAL/FSAL_VFS/vfs/libfsalvfs.so": "plugins/libfsalvfs.so",
}
"""What the build makes -> its place in the cache."""


class BuildError(Exception):
    """Why there is no build, and what to do about it, in one sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build it and say where it is; 2 if it cannot be built here."""
    parser = argparse.ArgumentParser(
        prog="build.py",
        description=f"Build nfs-ganesha {SERVER} from Debian's sources for the profiles here.",
        epilog="example: python targets/examples/nfs-ganesha/build.py",
    )
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="where to build (default: the user's cache)"
    )
    cache = parser.parse_args(arguments).cache or user_cache()
    folder = cache.resolve() / f"nfs-ganesha-{SERVER}"
    try:
        build(folder)
        _link(folder)
    except (BuildError, LabError, OSError) as error:
        sys.stderr.write(f"build.py: {error}\n")
        return 2
    sys.stdout.write(f"nfs-ganesha {SERVER} is in {folder}\n")
    return 0


def build(folder: Path) -> None:
    """Make the products in a folder, unless they are there.

    Raises:
        BuildError: a package is missing, Debian has no such sources any more, or a step failed.
        LabError: apt has no mirror, or does not get them.
    """
    if all((folder / place).is_file() for place in _PRODUCTS.values()):
        return
    if missing := missing_packages():
        names = " ".join(missing)
        raise BuildError(f"packages are missing; run `apt-get install {names}` and try again")
    work = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    _unpack(work, *_fetch(work))
    _compile(work)
    shutil.rmtree(folder, ignore_errors=True)
    for product, place in _PRODUCTS.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(work / "build" / product, folder / place)
    shutil.rmtree(work)


def missing_packages() -> tuple[str, ...]:
    """Those of `PACKAGES` that are not installed.

    Raises:
        BuildError: this is no Debian.
    """
    if shutil.which("dpkg-query") is None or shutil.which("apt-get") is None:
        raise BuildError("this machine has no apt; build it on the Debian 12 that runs the lab")
    command = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n"]
    said = subprocess.run([*command, *PACKAGES], capture_output=True, text=True, check=False)
    installed = {
        line.split()[0] for line in said.stdout.splitlines() if line.endswith(" installed")
    }
    return tuple(name for name in PACKAGES if name not in installed)


def _fetch(work: Path) -> tuple[Path, Path]:
    """The archives of both sources."""
    apt = PrivateApt(work / "apt", "fetching nfs-ganesha's sources")
    apt.write([source("deb-src", mirrors(apt.step).plain, _SUITE)])
    apt.run("apt-get", "update")
    # The archives alone: Debian's patches to them concern its own packaging.
    words = ("--download-only", "--tar-only", "nfs-ganesha", "ntirpc")
    apt.run("apt-get", "source", *words, folder=work)
    archives = (
        work / f"nfs-ganesha_{SERVER}.orig.tar.gz",
        work / f"ntirpc_{LIBRARY}.orig.tar.gz",
    )
    for archive in archives:
        if not archive.is_file():
            raise BuildError(
                f"Debian {_SUITE} has no {archive.name} any more; mend the versions in build.py"
            )
    return archives


def _unpack(work: Path, server: Path, library: Path) -> None:
    place = work / "source"
    inner = place / "src" / "libntirpc"
    for archive, folder in ((server, place), (library, inner)):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["tar", "-xzf", str(archive), "-C", str(folder), "--strip-components=1"]
        _run(work, "unpacking", command)


def _compile(work: Path) -> None:
    options = [f"-D{name}=ON" for name in _ON] + [f"-D{name}=OFF" for name in _OFF]
    configure = ["cmake", "-S", str(work / "source" / "src"), "-B", str(work / "build")]
    # As Debian builds it: what is in assertions is not executed.
    _run(work, "configuring", [*configure, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", *options])
    targets = ["--target", "ganesha.nfsd", "--target", "fsalvfs"]
    jobs = ["--parallel", str(os.cpu_count() or 1)]
    _run(work, "compiling", ["cmake", "--build", str(work / "build"), *targets, *jobs])


def _run(work: Path, step: str, command: Sequence[str]) -> None:
    """Run a program in the folder; its output goes into a log there.

    Raises:
        BuildError: it failed.
    """
    log = work / "log"
    with log.open("ab") as output:
        ended = subprocess.run(
            command, cwd=work, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        )
    if ended.returncode != 0:
        raise BuildError(f"{step} failed with status {ended.returncode}; the log is {log}")


def _link(folder: Path) -> None:
    """Let start.py find the build, which another user starts, in the guest."""
    LINK.unlink(missing_ok=True)
    LINK.symlink_to(folder)


if __name__ == "__main__":
    sys.exit(main())
