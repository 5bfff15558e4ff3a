"""A program that stays and is told what to do, line by line: an upper tester without its start.

A `Resident` is the program, a `ToldRun` one thing that it has been told and does, or has done; that
is a `targets.base.RunningAct`.  What lines say is described in `targets.acts`.
Nothing here ever
waits: the pipe is read as far as there is something in it.

An answer that is none is a fault of the profile and raises `TargetError`; a program that ends
without one says that the act has failed.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.acts import Prints
from targets.base import ActResult, ActState, TargetError
from targets.upper_tester.program import UpperTesterProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Resident", "ToldRun"]

_READ: Final = 4096
"""Octets that are fetched at once: more than an answer has."""

_ANSWER: Final = re.compile(r"(?P<word>done|failed)(?: (?P<rest>.*))?")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Resident:
    """A program that waits for a line, or does what the last one said."""

    def __init__(self, words: tuple[str, ...], environment: Mapping[str, str]) -> None:
        """Start it.

        Args:
            words: program and arguments.
            environment: added to this process's own.

        Raises:
            TargetError: it cannot be started.
        """
        pipe = subprocess.PIPE
        self._program = UpperTesterProgram("resident", words, environment, takes=pipe, prints=pipe)
        self._lines, self._answers = self._program.process.stdin, self._program.process.stdout
        self._said = b""
        self._killed = False
        if self._answers is not None:
            os.set_blocking(self._answers.fileno(), False)

    @property
    def listens(self) -> bool:
        """Whether it can be told something, once it has done what it was told before."""
        return not self._killed and not self.gone

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return self._program.status is not None

    def tell(self, line: str) -> None:
        """Give it something to do; one that has ended will answer nothing."""
        if self._lines is not None:
            with suppress(BrokenPipeError):
                self._lines.write(f"{line}\n".encode())

    def answer(self) -> str | None:
        """The next line that it has written, if there is a whole one."""
        while self._answers is not None and b"\n" not in self._said:
            more = self._answers.read(_READ)
            if not more:
                return None
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        return line.decode("utf-8", errors="replace")

    def ending(self) -> str | None:
        """Why it has ended; None while it has not."""
        status = self._program.status
        return None if status is None else self._program.why(status)

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        self._killed = True
        self._program.kill()

    def await_end(self, seconds: float) -> bool:
        """Wait so long for it to be gone; returns whether it is."""
        return self._program.await_end(seconds)

    def close(self) -> None:
        """Let go of its pipes."""
        for pipe in (self._lines, self._answers):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._program.close()


class ToldRun:
    """One thing that a resident program has been told to do."""

    def __init__(
        self,
        name: str,
        resident: Resident,
        line: str,
        prints: Prints,
        output: str,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Tell it.

        Args:
            name: of the entry in the profile, for messages.
            resident: which program; it must be idle.
            line: what it is told.
            prints: what to make of its answer.
            output: path of the file where it leaves what it fetched, if it does.
            deadline: seconds after which it is stopped.
            clock: seconds that pass.
        """
        self.resident = resident
        self._name = name
        self._prints = prints
        self._output = output
        self._seconds = deadline
        self._clock = clock
        self._end = clock() + deadline
        self._result: ActResult | None = None
        resident.tell(line)

    def poll(self) -> ActResult | None:
        """Its result, if there is an answer, the program has ended, or its time is over."""
        if self._result is None:
            # In this order: what it had to say before it ended counts.
            ended = self.resident.ending()
            answer = self.resident.answer()
            if answer is not None:
                self._result = self._judged(answer)
            elif ended is not None:
                self._result = _failed(ended)
            elif self._clock() >= self._end:
                self._stop(f"not ended within {self._seconds:g} s, and stopped")
        return self._result

    def abandon(self) -> None:
        """Stop the program, with everything that it started."""
        if self.poll() is None:
            self._stop("abandoned")

    def _stop(self, why: str) -> None:
        self.resident.kill()
        self._result = _failed(why)

    def _judged(self, answer: str) -> ActResult:
        found = _ANSWER.fullmatch(answer)
        if found is None:
            raise self._fault(f"answered `{answer}`", "`done` or `failed`")
        rest = found["rest"] or ""
        if found["word"] == "failed":
            return _failed(rest or "failed")
        match self._prints:
            case Prints.NOTHING:
                return ActResult(ActState.DONE)
            case Prints.DATA:
                return self._fetched()
            case Prints.SHA256:
                if _DIGEST.fullmatch(rest) is None:
                    raise self._fault(f"answered `{answer}`", "`done` and a SHA-256")
                return ActResult(ActState.DONE, digest=rest)

    def _fetched(self) -> ActResult:
        try:
            data = Path(self._output).read_bytes()
        except FileNotFoundError as error:
            raise self._fault("left no file {output}", "one with what was fetched") from error
        Path(self._output).unlink()
        digest = hashlib.sha256(data).hexdigest()
        return ActResult(ActState.DONE, data=data, digest=digest)

    def _fault(self, what: str, instead: str) -> TargetError:
        return TargetError(
            f"the resident program {what} for [acts] {self._name}, instead of {instead};"
            " mend it or the profile"
        )


def _failed(detail: str) -> ActResult:
    return ActResult(ActState.FAILED, detail)
