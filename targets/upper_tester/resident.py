"""A program that stays and is told what to do, line by line: an upper tester without its start.

A `Resident` is the program, a `ToldRun` one thing that it has been told and does, or has done; that
is a `targets.base.RunningAct`.  What lines say is described in `targets.acts`.  Nothing here ever
waits.

An answer that is none is a fault of the profile and raises `TargetError`; a program that ends
without one says that the act has failed.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING, Final

from targets.acts import Prints, reason_of_end
from targets.base import ActResult, ActState, TargetError
from targets.endings import said_last, words_of_end
from targets.lab.step import last_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.upper_tester.place import Fetched, PlacedProgram
    from targets.usage import Usage

__all__ = ["Resident", "ToldRun"]

_ANSWER: Final = re.compile(r"(?P<word>done|failed)(?: (?P<rest>.*))?")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Resident:
    """A program that waits for a line, or does what the last one said."""

    def __init__(self, program: PlacedProgram, *, is_spare: bool = False) -> None:
        """Take one that was started.

        Args:
            program: it.
            is_spare: whether it was started only because another one was busy.
        """
        self._program = program
        self._killed = False
        self._is_spare = is_spare
        self._has_answered = False

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
        self._program.tell(line)

    def answer(self) -> str | None:
        """The next line that it has written, if there is a whole one."""
        line = self._program.answer()
        self._has_answered = self._has_answered or line is not None
        return line

    def ending(self) -> str | None:
        """Why it has ended; None while it has not."""
        status = self._program.status
        return None if status is None else reason_of_end(self._program.complaints(), status)

    def death(self) -> str:
        """How it ended by itself, with its last words; empty while it runs, or if it was stopped.

        Does not wait.
        """
        status = self._end_by_itself()
        # A client that can have one program at a time refuses a second one: it has not died of it.
        refuses = self._is_spare and not self._has_answered
        if status is None or (refuses and status >= 0):
            return ""
        said = said_last(last_words(self._program.complaints()))
        return f"the resident program {words_of_end(status)}{said}"

    def usage(self) -> Usage | None:
        """What it holds."""
        return self._program.usage()

    def kill(self) -> None:
        """Stop it, with everything that it started.  Does not wait."""
        self._killed = self._end_by_itself() is None
        self._program.kill()

    def await_end(self, seconds: float) -> bool:
        """Wait so long for it to be gone; returns whether it is."""
        return self._program.await_end(seconds)

    def close(self) -> None:
        """Let go of it."""
        self._program.close()

    def _end_by_itself(self) -> int | None:
        """The status with which it ended though nobody had stopped it."""
        try:
            return None if self._killed else self._program.status
        except TargetError:  # it never ran: who tells it something is told so
            return None


class ToldRun:
    """One thing that a resident program has been told to do."""

    def __init__(
        self,
        name: str,
        resident: Resident,
        line: str,
        prints: Prints,
        fetch: Callable[[], Fetched] | None,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Tell it.

        Args:
            name: of the entry in the profile, for messages.
            resident: which program; it must be idle.
            line: what it is told.
            prints: what to make of its answer.
            fetch: takes the file where it leaves what it fetched, if it does.
            deadline: seconds after which it is stopped.
            clock: seconds that pass.
        """
        self.resident = resident
        self._name = name
        self._prints = prints
        self._fetch = fetch
        self._fetched: Fetched | None = None
        self._seconds = deadline
        self._clock = clock
        self._end = clock() + deadline
        self._result: ActResult | None = None
        resident.tell(line)

    def poll(self) -> ActResult | None:
        """Its result, if there is an answer, the program has ended, or its time is over."""
        if self._result is None:
            self._look()
        if self._result is None and self._clock() >= self._end:
            self._stop(f"not ended within {self._seconds:g} s, and stopped")
        return self._result

    def abandon(self) -> None:
        """Stop the program, with everything that it started."""
        if self.poll() is None:
            self._stop("abandoned")

    def _look(self) -> None:
        if self._fetched is not None:
            self._result = self._taken(self._fetched)
            return
        # In this order: what it had to say before it ended counts.
        ended = self.resident.ending()
        answer = self.resident.answer()
        if answer is not None:
            self._result = self._judged(answer)
        elif ended is not None:
            self._result = _failed(ended)

    def _stop(self, why: str) -> None:
        self.resident.kill()
        self._result = _failed(why)

    def _judged(self, answer: str) -> ActResult | None:
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
                if self._fetch is None:
                    raise self._fault("was told no file", "one with {output}")
                self._fetched = self._fetch()
                return self._taken(self._fetched)
            case Prints.SHA256:
                if _DIGEST.fullmatch(rest) is None:
                    raise self._fault(f"answered `{answer}`", "`done` and a SHA-256")
                return ActResult(ActState.DONE, digest=rest)

    def _taken(self, fetched: Fetched) -> ActResult | None:
        if not fetched.done:
            return None
        data = fetched.content()
        if data is None:
            raise self._fault("left no file {output}", "one with what was fetched")
        digest = hashlib.sha256(data).hexdigest()
        return ActResult(ActState.DONE, data=data, digest=digest)

    def _fault(self, what: str, instead: str) -> TargetError:
        return TargetError(
            f"the resident program {what} for [acts] {self._name}, instead of {instead};"
            " mend it or the profile"
        )


def _failed(detail: str) -> ActResult:
    return ActResult(ActState.FAILED, detail)
