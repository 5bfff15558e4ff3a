"""The upper tester of a foreign client: does what its profile says, without ever waiting.

A `CommandRun` is one program that runs (or has run) to make a client act; it is a
`targets.base.RunningAct`.  Ended or not, nothing of it is left when it is abandoned: a signal goes
to all processes that it started.  What a resident program is told instead is a
`targets.upper_tester.resident.ToldRun`.

A program that cannot be started, or prints something else than its profile says, is a fault of the
surroundings and raises `TargetError`; a program that fails says that the act has failed.
"""

from __future__ import annotations

import hashlib
import re
import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from targets.acts import Prints, expand, reason_of_end
from targets.base import ActKind, ActResult, ActState, TargetError, Unsupported
from targets.profile import timeout_factor
from targets.upper_tester.resident import Resident, ToldRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from targets.acts import Acts, Command
    from targets.base import Act, RunningAct
    from targets.upper_tester.place import ClientPlace, PlacedProgram
    from targets.usage import Usage

__all__ = ["CommandActs", "CommandRun", "InTurn"]

_T = TypeVar("_T")

_DIGEST: Final = re.compile(rb"\s*([0-9a-f]{64})\b")


class CommandRun:
    """One program of the upper tester."""

    def __init__(
        self,
        name: str,
        program: PlacedProgram,
        prints: Prints,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take one that was started just now.

        Args:
            name: of the entry in the profile, for messages.
            program: it; one that does not speak.
            prints: what to make of its output.
            deadline: seconds after which it is stopped.
            clock: seconds that pass.
        """
        self._name = name
        self._program = program
        self._prints = prints
        self._seconds = deadline
        self._clock = clock
        self._end = clock() + deadline
        self._result: ActResult | None = None

    def poll(self) -> ActResult | None:
        """Its result, if it has ended or its time is over."""
        if self._result is None:
            status = self._program.status
            if status is not None:
                self._finish(self._judged(status))
            elif self._clock() >= self._end:
                self._program.kill()
                self._finish(_failed(f"not ended within {self._seconds:g} s, and stopped"))
        return self._result

    def abandon(self) -> None:
        """Stop it, with everything that it started."""
        if self._result is None:
            self._program.kill()
            self._finish(_failed("abandoned"))

    @property
    def gone(self) -> bool:
        """Whether no process of it is left; one that waits in the kernel may take its time."""
        return self._program.status is not None

    def await_end(self, seconds: float) -> bool:
        """Wait so long for the process to be gone; returns whether it is."""
        return self._program.await_end(seconds)

    def _judged(self, status: int) -> ActResult:
        if status != 0:
            return _failed(reason_of_end(self._program.complaints(), status))
        match self._prints:
            case Prints.NOTHING:
                return ActResult(ActState.DONE)
            case Prints.DATA:
                data = self._program.output()
                digest = hashlib.sha256(data).hexdigest()
                return ActResult(ActState.DONE, data=data, digest=digest)
            case Prints.SHA256:
                found = _DIGEST.match(self._program.output())
                if found is None:
                    raise TargetError(
                        f"[acts] {self._name} did not print a SHA-256 first;"
                        " mend the command or its `prints`"
                    )
                return ActResult(ActState.DONE, digest=found[1].decode("ascii"))

    def _finish(self, result: ActResult) -> None:
        self._result = result
        self._program.close()


class InTurn:
    """Several commands as one act: each begins when the one before has ended.

    The result is that of the last; how the others end does not matter.
    """

    def __init__(self, *starts: Callable[[], RunningAct]) -> None:
        self._starts = list(starts)
        self._running: RunningAct | None = None
        self._result: ActResult | None = None

    def poll(self) -> ActResult | None:
        """The last command's result."""
        while self._result is None:
            ended = None if self._running is None else self._running.poll()
            if self._running is not None and ended is None:
                break
            if not self._starts:
                self._result = ended
                break
            self._running = self._starts.pop(0)()
        return self._result

    def abandon(self) -> None:
        """Stop the one that runs; the others are not begun."""
        self._starts.clear()
        if self._running is not None:
            self._running.abandon()
        if self._result is None:
            self._result = ActResult(ActState.FAILED, "abandoned")


class CommandActs:
    """The upper tester of one profile."""

    def __init__(self, acts: Acts, place: ClientPlace, environment: Mapping[str, str]) -> None:
        """Take the commands of a profile.

        Args:
            acts: the profile's.
            place: where they are run.
            environment: variables for every command, before those of the profile.
        """
        self._acts = acts
        self._place = place
        self._environment = environment
        self._runs: list[CommandRun] = []
        self._told: list[ToldRun] = []
        self._residents: list[Resident] = []
        self._died = ""

    @property
    def kinds(self) -> frozenset[ActKind]:
        """What the client can be brought to do."""
        commands = ((kind, self._acts.of(kind)) for kind in ActKind)
        return frozenset(kind for kind, one in commands if one and not one.unsupported)

    def command(self, act: Act) -> Command:
        """The command for an act.

        Raises:
            Unsupported: the profile has none.
        """
        command = self._acts.of(act.kind)
        if command is None:
            raise Unsupported(f"the profile has no command for `{act.kind}` in its table [acts]")
        if command.unsupported:
            raise Unsupported(
                f"the client cannot be brought to `{act.kind}`: {command.unsupported}"
            )
        return command

    def begin(self, name: str, command: Command, values: Mapping[str, str]) -> RunningAct:
        """Start a command, or tell the resident program.

        Args:
            name: of its entry in the profile.
            command: what to run, or the line.
            values: of the placeholders.

        Raises:
            TargetError: it cannot be started, or a placeholder means nothing here.
        """
        if not command.tell:
            return self.run(name, command, values)
        line = _meant(name, lambda: expand(command.tell, values))
        output = values.get("output")
        fetch = None if output is None else partial(self._place.fetch, output)
        idle, deadline = self._idle(values), self._deadline(command)
        told = ToldRun(name, idle, line, command.prints, fetch, deadline)
        self._told.append(told)
        return told

    def run(self, name: str, command: Command, values: Mapping[str, str]) -> CommandRun:
        """Start a command.

        Args:
            name: of its entry in the profile.
            command: what to run.
            values: of the placeholders.

        Raises:
            TargetError: it cannot be started, or a placeholder means nothing here.
        """
        words, environment = self._started_as(name, command, values)
        program = self._place.start(name, words, environment, speaks=False)
        run = CommandRun(name, program, command.prints, self._deadline(command))
        self._runs = [one for one in self._runs if not one.gone]
        self._runs.append(run)
        return run

    def usage(self) -> Usage | None:
        """What the client holds: the kernel, or the resident program that has been there longest.

        Which of them it is the profile says: what brings a kernel to act may be such a program.
        """
        self._sweep()
        if self._acts.kernel_log:
            return self._place.usage()
        there = (resident for resident in self._residents if resident.listens)
        resident = next(there, None)
        return self._place.usage() if resident is None else resident.usage()

    def abandon(self) -> None:
        """Stop whatever still runs, the resident program included.  Does not wait."""
        acts: list[RunningAct] = [*self._runs, *self._told]
        for act in acts:
            act.abandon()
        for resident in self._residents:
            resident.kill()

    def death(self) -> str:
        """How a resident program ended by itself since the last `stop`; empty if none has.

        Does not wait.
        """
        self._died = self._died or next(filter(None, (one.death() for one in self._residents)), "")
        return self._died

    def stop(self, seconds: float) -> bool:
        """Stop whatever still runs; returns whether all of it is gone after so many seconds."""
        self.abandon()
        end = time.monotonic() + seconds
        running: list[CommandRun | Resident] = [*self._runs, *self._residents]
        gone = [run.await_end(max(0.0, end - time.monotonic())) for run in running]
        self._runs = [one for one in self._runs if not one.gone]
        self._sweep()
        self._died = ""
        return all(gone)

    def _idle(self, values: Mapping[str, str]) -> Resident:
        """A resident program that does nothing; started where there is none."""
        self._sweep()
        busy = [run.resident for run in self._told]
        for resident in self._residents:
            if resident.listens and resident not in busy:
                return resident
        words, environment = self._started_as("resident", self._acts.staying, values)
        program = self._place.start("resident", words, environment, speaks=True)
        resident = Resident(program, is_spare=bool(busy))
        self._residents.append(resident)
        return resident

    def _sweep(self) -> None:
        """Forget what is over."""
        self._told = [run for run in self._told if run.poll() is None]
        self.death()  # of those that are forgotten
        for resident in self._residents:
            if resident.gone:
                resident.close()
        self._residents = [one for one in self._residents if not one.gone]

    def _started_as(
        self, name: str, command: Command, values: Mapping[str, str]
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """Words and environment of a program."""
        variables = self._acts.environment | command.environment
        words = _meant(name, lambda: tuple(expand(word, values) for word in command.words))
        own = _meant(name, lambda: {key: expand(text, values) for key, text in variables.items()})
        return words, {**self._environment, **own}

    def _deadline(self, command: Command) -> float:
        return (command.deadline or self._acts.deadline) * timeout_factor()


def _meant(name: str, expanded: Callable[[], _T]) -> _T:
    """What is expanded, if all its placeholders mean something here."""
    try:
        return expanded()
    except KeyError as error:
        raise TargetError(
            f"{{{error.args[0]}}} means nothing in [acts] {name}; take it out of the profile"
        ) from error


def _failed(detail: str) -> ActResult:
    return ActResult(ActState.FAILED, detail)
