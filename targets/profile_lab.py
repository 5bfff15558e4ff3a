"""The table `[lab]` of a profile: how the lab brings a device up, and what machine it is given.

What can be seen in the file alone is checked here; what depends on this machine (that it has so
much memory, that a folder is there) is checked before a guest boots (`targets.lab.resources`).
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

import msgspec

__all__ = ["Lab"]

_Seconds = Annotated[float, msgspec.Meta(gt=0)]
_SecondsOrNone = Annotated[float, msgspec.Meta(ge=0)]
_Processors = Annotated[int, msgspec.Meta(ge=0, le=64)]

_MEMORY: Final = re.compile(r"[1-9][0-9]{0,5}[MG]")

_MOST_PARAMETERS: Final = 16
"""Linux panics where it is given more than 32 words that it does not know, the lab's own among
them (init/main.c, MAX_INIT_ARGS and MAX_INIT_ENVS)."""


class Lab(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the lab brings the device up, when the host has no RDMA device.

    Attributes:
        kernel: release of the guest's kernel, `6.1.0-56-amd64`; empty for the newest installed.
        memory: of the guest, `512M` or `8G`; this machine must have as much.
        processors: of the guest; 0: two if the tester is in it as well, otherwise one.
        parameters: words that the guest's kernel is given at boot, beside the lab's own.
        shares: folders of this machine that the guest may write to, by full paths; all others it
            can only read, and what it writes there is gone with it.
        boot: seconds until the guest must have booted; 0: 30 under KVM, 120 without.
        time_limit: seconds after which a run judges no further case; 0: by the number of cases.
        start: command that starts the device inside the lab; empty if it is the kernel's server.
        ready: seconds until the device must listen.
        nfsd: whether the lab sets up the kernel's NFS server with the suite's export.
        files: what the lab makes before the device starts: `tree` for the files of
            `rpcrdma.ulp.file_tree`, in the folder `export`.
        export: full path of that folder in the guest; a file system of its own is made for it,
            unless it is in one of `shares`.
    """

    kernel: str = ""
    memory: str = "2G"
    processors: _Processors = 0
    parameters: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    boot: _SecondsOrNone = 0.0
    time_limit: _SecondsOrNone = 0.0
    start: tuple[str, ...] = ()
    ready: _Seconds = 30.0
    nfsd: bool = False
    files: tuple[Literal["tree"], ...] = ()
    export: str = "/srv/export"

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        if not _MEMORY.fullmatch(self.memory):
            problem = f"`memory` is `{self.memory}`; write a number of mebibytes or gibibytes"
            raise ValueError(f"{problem}, `512M` or `8G`")
        if len(self.parameters) > _MOST_PARAMETERS:
            raise ValueError(f"`parameters` has {len(self.parameters)} words: 16 are the most")
        for word in self.parameters:
            if not word.isascii() or len(word.split()) != 1 or word != word.strip():
                raise ValueError(f"`parameters` has `{word}`; each is one word, `slub_debug=FZ`")
        for folder in self.shares:
            _check_path("shares", folder)
        _check_path("export", self.export)


def _check_path(key: str, path: str) -> None:
    """A full path below the root, without characters that QEMU or a mount table gives meaning."""
    named = path.startswith("/") and path.strip("/") and ".." not in path.split("/")
    if not named or re.search(r"[\s,\\]", path):
        problem = f"`{key}` has `{path}`; write the full path of a folder"
        raise ValueError(f"{problem}, without blanks, commas and backslashes")
