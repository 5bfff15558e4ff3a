"""Asks a parser that runs as a program of its own: a line of hexadecimal in, a line out.

    in    0000000700000001...    octets; an empty line for none
    out   ok 28 7 1 ...          accepted: the numbers of `fuzz.parsers.numbers`
          no too short           refused; what follows `no` is for people

A parser that dies, is silent or talks otherwise breaks an invariant, and is started again.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
from time import monotonic
from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Dialogue"]

_ANSWER: Final = re.compile(r"ok( [0-9]{1,20})+|no( .*)?")
_SECONDS: Final = 2.0
"""For an answer, with another start: a busy machine must not look like a parser that hangs.  Two
of them are less than an input may take."""
_START_SECONDS: Final = 3.0
"""For the very first answer."""
_LONGEST: Final = 1 << 17
"""Octets of a line that is taken for an answer."""
_SHOWN: Final = 120
"""Characters of a wrong answer that are shown."""


class Dialogue:
    """One parser, started when it is asked, and again after each death.

    Args:
        command: its words.
        seconds: for an answer.
        start_seconds: for the very first one.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float = _SECONDS,
        start_seconds: float = _START_SECONDS,
    ) -> None:
        self._command = command
        self._seconds = seconds
        self._patience = start_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._complaint = b""

    def ask(self, octets: bytes) -> str:
        """The line that answers these octets: `ok` and numbers, or `no` and words.

        Raises:
            BrokenInvariant: `parser-died`, `parser-hung`, or `answer-garbled`: it is no such line.
            OSError: it cannot be started.
        """
        process = self._process or self._start()
        try:
            line = self._exchange(process, octets.hex().encode() + b"\n", self._patience)
        except BrokenInvariant:
            self.close()
            raise
        finally:
            self._patience = self._seconds
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if line.count(b"\n") != 1 or not _ANSWER.fullmatch(text):
            self.close()
            raise BrokenInvariant("answer-garbled", f"it answers {text[:_SHOWN]!r}")
        return text

    def close(self) -> None:
        """End the parser."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self._complaint = b""
        piped = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, stdin=piped, stdout=piped, stderr=piped, bufsize=0
        )
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], question: bytes, seconds: float) -> bytes:
        if not (process.stdin and process.stdout and process.stderr):
            raise ValueError("the parser was started without pipes")
        answers, complaints = process.stdout.fileno(), process.stderr.fileno()
        poll = select.poll()
        poll.register(answers, select.POLLIN)
        poll.register(complaints, select.POLLIN)
        end, line = monotonic() + seconds, b""
        try:
            process.stdin.write(question)
        except BrokenPipeError:
            raise self._death(process) from None
        while not line.endswith(b"\n") and len(line) < _LONGEST:
            ready = dict(poll.poll(max(0.0, end - monotonic()) * 1000))
            if not ready:
                raise BrokenInvariant("parser-hung", f"it gives no answer within {seconds:g} s")
            if complaints in ready and not self._listen(complaints):
                poll.unregister(complaints)
            if answers in ready:
                said = os.read(answers, _LONGEST)
                if not said:
                    raise self._death(process)
                line += said
        return line

    def _listen(self, complaints: int) -> bool:
        """Keep the last that it writes to its standard error; whether there can be more."""
        said = os.read(complaints, _LONGEST)
        self._complaint = (self._complaint + said)[-_LONGEST:]
        return bool(said)

    def _death(self, process: subprocess.Popen[bytes]) -> BrokenInvariant:
        """What a parser died of; one that only closed its pipes is ended, to know."""
        try:
            status = process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            return BrokenInvariant("parser-hung", "it has closed its standard output, and goes on")
        how = _ending(status)
        said = self._last_words(process)
        detail = f"it ends with {how}{': ' if said else ''}{said}"
        return BrokenInvariant("parser-died", detail, f"{how} {said}")

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        if process.stderr:
            poll = select.poll()
            poll.register(process.stderr, select.POLLIN)
            while poll.poll(0) and self._listen(process.stderr.fileno()):
                pass
        lines = self._complaint.decode("utf-8", "replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        # A sanitizer says what was wrong in one line, and more after it.
        summaries = [line for line in said if line.startswith("SUMMARY:")]
        return (summaries or said or [""])[-1][:_SHOWN]


def _ending(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    return signal.Signals(-status).name
