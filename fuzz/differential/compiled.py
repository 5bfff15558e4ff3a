"""Makes a shared library of a `.x` file by rpcgen and this machine's C compiler, on demand.

The library is kept in the user's cache, and made anew when anything of which it is made changes.
What rpcgen makes traps where C leaves the behaviour open (-fsanitize=undefined), which ends the
process: to the fuzzer that is a finding.  In a process that AddressSanitizer watches, all of it is
made for that as well.
"""

from __future__ import annotations

import hashlib
import platform
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from conformance.bad_input import BadInput
from fuzz.differential.address_sanitizer import has_address_sanitizer
from fuzz.differential.for_rpcgen import for_rpcgen
from fuzz.tools import NotMadeError, run_tool
from targets.python_path import user_cache

__all__ = ["REMEDY", "V1", "V2", "Item", "Tools", "build"]

REMEDY: Final = "apt-get install rpcsvc-proto libtirpc-dev gcc libc6-dev"
"""What brings all that is called here, on Debian."""

_COMMON: Final = ("-fPIC", "-O1", "-g", "-I.", "-isystem", "/usr/include/tirpc")
_MADE: Final = (
    "-w",  # rpcgen declares what it does not use
    "-fsanitize=undefined",
    "-fsanitize-undefined-trap-on-error",  # without it a library of messages would be needed
    "-fsanitize-coverage=trace-pc",
)


@dataclass(frozen=True, slots=True)
class Item:
    """What is decoded.

    Attributes:
        document: name of the `.x` file in `rpcrdma/spec`.
        type: its name there.
    """

    document: str
    type: str


V1: Final = Item("rfc8166", "rdma_msg")
V2: Final = Item("v2", "rpcrdma2_xprt_hdr")


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs that make the library."""

    rpcgen: str = "rpcgen"
    compiler: str = "cc"


def build(item: Item, cache: Path | None = None, tools: Tools | None = None) -> Path:
    """The library with the decoder of an item; `fuzz/differential/decode.c` has its functions.

    Args:
        item: what it decodes.
        cache: folder for libraries; None: one in the user's cache.
        tools: what makes them; None: those in the search path.

    Raises:
        BadInput: a program or libtirpc is missing, one fails, or the folder cannot be written; the
            message says how to install them.
    """
    folder, tools = cache or user_cache() / "decoders", tools or Tools()
    text = for_rpcgen((files("rpcrdma") / "spec" / f"{item.document}.x").read_text("utf-8"))
    source = Path(str(files("fuzz.differential") / "decode.c"))
    recipe = (text, source.read_text("utf-8"), repr((item, tools, _common(), _MADE)))
    known = hashlib.sha256("\0".join((*recipe, platform.machine())).encode()).hexdigest()[:16]
    library = folder / f"{item.document}-{known}.so"
    if library.is_file():
        return library
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = _make(Path(scratch), text, source, item, tools)
            made.replace(library)  # whole at once: another process may look for it
    except OSError as error:
        raise BadInput(f"the C decoder cannot be kept in {folder}: {error}") from error
    return library


def _make(folder: Path, text: str, source: Path, item: Item, tools: Tools) -> Path:
    (folder / "item.x").write_text(text, "utf-8")
    compile_ = (tools.compiler, *_common())
    names = (f"-DITEM={item.type}", f"-DXDR_ITEM=xdr_{item.type}", '-DHEADER="item.h"')
    for command in (
        (tools.rpcgen, "-h", "-o", "item.h", "item.x"),
        (tools.rpcgen, "-c", "-o", "item.c", "item.x"),
        (*compile_, *_MADE, "-c", "-o", "item.o", "item.c"),
        (*compile_, *names, "-c", "-o", "decode.o", str(source)),
        (*compile_, "-shared", "-o", "item.so", "decode.o", "item.o", "-ltirpc"),
    ):
        _run(command, folder)
    return folder / "item.so"


def _common() -> tuple[str, ...]:
    return (*_COMMON, "-fsanitize=address") if has_address_sanitizer() else _COMMON


def _run(command: tuple[str, ...], folder: Path) -> None:
    program = command[0]
    try:
        run_tool(command, folder)
    except FileNotFoundError as error:
        message = f"there is no `{program}`, of which the C decoder is made: {REMEDY}"
        raise BadInput(message) from error
    except NotMadeError as error:
        message = f"`{program}` does not make the C decoder: {error}: {REMEDY}"
        raise BadInput(message) from error
