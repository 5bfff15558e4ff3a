"""A guest whose modules are counted block by block, and those that take its place when it dies.

with CountedGuest(setup, kernel, frozenset({"rpcrdma", "sunrpc"}), told) as counted:
    counted.guest       # as `certify` has it
    counted.coverage    # of all guests of the run
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from fuzz.live.block_file import BlockFile
from fuzz.live.compiled import compile_plugin
from fuzz.live.symbols import AREA, Symbols
from targets.lab.errors import LabError
from targets.standing.guest import StandingGuest
from targets.standing.run_guest import RunGuest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fuzz.live.coverage import Block
    from targets.standing.run_guest import GuestEnd
    from targets.standing.setup import StandingSetup

__all__ = ["CountedGuest", "TranslatedBlocks"]

_MODULE_SYMBOLS: Final = r"\]$"
"""Lines of /proc/kallsyms that name a module; the others are ten times as many."""


class TranslatedBlocks:
    """The blocks of chosen modules as QEMU translates them (`fuzz.live.coverage.BlockCoverage`).

    A guest may be replaced: what was reached in the last one is kept.
    """

    def __init__(self, modules: frozenset[str]) -> None:
        """Count nothing yet.

        Args:
            modules: whose blocks are told of.
        """
        self._modules = modules
        self._file: BlockFile | None = None
        self._read: Callable[[], Symbols] | None = None
        self._symbols: Symbols | None = None
        self._looked_at = 0
        self._chosen: list[tuple[int, Block]] = []  # number in the file, in rising order
        self._before: list[int] = []
        self._earlier: frozenset[Block] = frozenset()
        self._functions: frozenset[tuple[str, str]] = frozenset()

    def count(self, file: BlockFile, read: Callable[[], Symbols]) -> None:
        """Count in a new file from now on.

        Args:
            file: which the plugin of a new guest fills; closed with this.
            read: gives the symbols of that guest, once it is up.
        """
        self._earlier = self.reached()
        self.close()
        self._file, self._read = file, read

    def begin(self) -> None:
        """Remember what was executed so far."""
        if self._file is not None:
            self._look()
            self._before = self._file.counts()

    def since(self) -> frozenset[Block]:
        """What was executed since the last `begin`."""
        if self._file is None:
            return frozenset()
        self._look()
        now = self._file.counts()
        # Blocks that are new since then had no count.
        before = self._before + [0] * (len(now) - len(self._before))
        return frozenset(block for number, block in self._chosen if now[number] != before[number])

    def reached(self) -> frozenset[Block]:
        """All that was executed, in each guest."""
        if self._file is None or self._symbols is None:
            return self._earlier  # a guest that never came up has no symbols
        self._look()
        now = self._file.counts()
        return self._earlier.union(block for number, block in self._chosen if now[number])

    def functions(self) -> frozenset[tuple[str, str]]:
        """Every function of the modules."""
        return self._functions

    def close(self) -> None:
        """Let go of the file; what was reached is forgotten with it.  Twice is allowed."""
        if self._file is not None:
            self._file.close()
        self._file = self._read = self._symbols = None
        self._looked_at, self._chosen, self._before = 0, [], []

    def _look(self) -> None:
        """Find the modules of blocks that are new."""
        if self._symbols is None and self._read is not None:
            self._symbols = self._read()
            self._functions |= self._symbols.functions(self._modules)
        if self._symbols is None or self._file is None:
            return
        for address in self._file.addresses(self._looked_at):
            block = self._symbols.block(address)
            if block is not None and block.module in self._modules:
                self._chosen.append((self._looked_at, block))
            self._looked_at += 1


class CountedGuest:
    """The guests of one run.

    Attributes:
        guest: the one that is there now, and how another takes its place.
        coverage: of all of them.
    """

    def __init__(
        self,
        setup: StandingSetup,
        kernel: str | None,
        modules: frozenset[str],
        told: Callable[[GuestEnd], None],
    ) -> None:
        """Start a guest, and do not wait for it.

        Args:
            setup: what it is to set up.
            kernel: release, path of an image, or None for the newest that will do.
            modules: of the kernel, whose blocks are counted.
            told: is told of each guest whose place another one takes.

        Raises:
            LabError: there is no compiler, QEMU takes no plugins, or no guest can be started.
        """
        self._setup, self._kernel = setup, kernel
        self.coverage = TranslatedBlocks(modules)
        with ExitStack() as stack:
            folder = tempfile.TemporaryDirectory(prefix="rpcrdma-plugin-")
            self._library = compile_plugin(Path(stack.enter_context(folder)))
            stack.callback(self.coverage.close)
            self.guest = stack.enter_context(RunGuest(self._start(), self._start, told))
            self._stack = stack.pop_all()

    def close(self) -> None:
        """End the guest.  Twice is allowed."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self) -> StandingGuest:
        file = BlockFile()
        first, end = AREA
        words = (str(self._library), f"counts={file.path}", f"from={first:#x}", f"to={end:#x}")
        try:
            guest = StandingGuest.start(self._setup, self._kernel, plugin=",".join(words))
        except BaseException:
            file.close()
            raise
        self.coverage.count(file, lambda: _symbols(guest))
        return guest


def _symbols(guest: StandingGuest) -> Symbols:
    """The symbols of a guest; waits until it is set up.

    Raises:
        LabError: it does not get there, or hides them.
    """
    told = guest.agent.run(["grep", _MODULE_SYMBOLS, "/proc/kallsyms"])
    symbols = Symbols(told.output.decode("ascii", "replace").splitlines())
    if symbols.block(AREA[1]) is None:
        raise LabError("preparing the coverage of a kernel", "the guest's kernel has no modules")
    return symbols
