"""The functions that this machine's kernel calls, by ftrace: coverage without QEMU or a rebuild.

with TracedFunctions(frozenset({"rpcrdma", "sunrpc"})) as coverage:
    coverage.begin()
    coverage.since()

A function is coarser than a block, and all of the machine's traffic counts, so that it takes a
machine with nothing else to do over these modules.  KCOV would not do: it counts what the task
itself executes that asks for it, and a server's work is done by threads of the kernel's that are
not annotated for it (Documentation/dev-tools/kcov.rst, "Remote coverage collection").
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from fuzz.live.coverage import Block
from targets.lab.step import run_step, write_step

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["TracedFunctions"]

_TRACING: Final = Path("/sys/kernel/tracing")
_STEP: Final = "tracing the kernel's functions"
_REMEDY: Final = "run as root, on a kernel with CONFIG_FUNCTION_TRACER, or with --no-blocks"

_OF_MODULE: Final = re.compile(r"^(\S+) \[(\w+)\]", re.MULTILINE)
_CALLED: Final = re.compile(r": (\S+) (?:\[\w+\] )?<-")


class TracedFunctions:
    """The functions of chosen modules that were called (`fuzz.live.coverage.BlockCoverage`)."""

    def __init__(self, modules: frozenset[str], tracing: Path = _TRACING) -> None:
        """Trace these functions alone from now on.

        Args:
            modules: of the kernel; one that is loaded later counts, too.
            tracing: where the kernel shows its tracer.

        Raises:
            LabError: it has no function tracer, or nobody may use it.
        """
        self._modules = modules
        self._tracing = tracing
        self._reached: set[Block] = set()
        self._of_module: dict[str, str] = {}
        if not (tracing / "current_tracer").exists():
            run_step(_STEP, ["mount", "-t", "tracefs", "tracefs", str(tracing)], _REMEDY)
        self._write("current_tracer", "nop")
        # Opened once: each time that it is opened anew, the filter is emptied.
        chosen = "".join(f":mod:{module}\n" for module in sorted(modules))
        self._write("set_ftrace_filter", chosen)
        self._write("current_tracer", "function")
        self._write("tracing_on", "1")

    def begin(self) -> None:
        """Remember what was called so far, and forget the trace of it."""
        self._take()

    def since(self) -> frozenset[Block]:
        """What was called since the last `begin`; each function is one block."""
        return self._take()

    def reached(self) -> frozenset[Block]:
        """All that was called ever."""
        self._take()
        return frozenset(self._reached)

    def functions(self) -> frozenset[tuple[str, str]]:
        """Every function of the modules that can be traced."""
        self._look()
        return frozenset((module, name) for name, module in self._of_module.items())

    def close(self) -> None:
        """Trace nothing any more, and everything may be traced again.  Twice is allowed."""
        self._write("current_tracer", "nop")
        self._write("set_ftrace_filter", "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _take(self) -> frozenset[Block]:
        trace = self._tracing / "trace"
        names = set(_CALLED.findall(trace.read_text("ascii", "replace")))
        write_step(_STEP, trace, "", _REMEDY)
        if not names.issubset(self._of_module):  # a module that was loaded meanwhile
            self._look()
        called = frozenset(
            Block(module, name, 0)
            for name in names
            if (module := self._of_module.get(name)) is not None
        )
        self._reached |= called
        return called

    def _look(self) -> None:
        """See which functions there are."""
        available = (self._tracing / "available_filter_functions").read_text("ascii", "replace")
        self._of_module = {
            name: module
            for name, module in _OF_MODULE.findall(available)
            if module in self._modules
        }

    def _write(self, name: str, text: str) -> None:
        write_step(_STEP, self._tracing / name, text, _REMEDY)
