"""One of the processes that judge a plan together (see `parallel`), and what it tells.

It is forked, judges what it is given, and says of each case that it begins, and what came of it.
Its last word is why it ended.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from conformance.suite.interruption import INTERRUPTED
from conformance.suite.plugin import SuiteError
from conformance.suite.runner import certify
from reports.printable import printable
from reports.record import CaseRecord
from rpcrdma.errors import FabricError
from targets.base import TargetError, Unsupported

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from conformance.suite.selection import Selection
    from conformance.tester.weather import Weather
    from targets.base import ClientTarget, Target

__all__ = ["Begun", "Job", "Lost", "Message", "Stopped", "judge"]


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """A process begins a case."""

    case: str


class Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """A process ends; without a reason, because it has a record of all that it was given.

    Attributes:
        reason: why it has not.
        refused: why no case was judged any more, the time being over.
    """

    reason: str = ""
    refused: str = ""


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """A process ends before it has judged all: the device, which others use, is lost to them."""


Message = Begun | CaseRecord | Stopped | Lost


@dataclass(frozen=True, slots=True)
class Job:
    """What every process is told."""

    target: Target | ClientTarget
    folder: Path
    called: str
    facts: tuple[tuple[str, str], ...]
    weather: Weather | None
    captures: bool
    scenarios_folder: Path
    time_limit: float | None = None

    def records(self, number: int) -> Path:
        """The file of records of one share."""
        return self.folder / f"records-{number}.jsonl"


def judge(
    pipe: Connection,
    job: Job,
    target: Target | ClientTarget,
    chosen: Selection,
    records: str,
) -> None:
    """What a process does: judge its share and tell of it.

    Args:
        pipe: to the process that started it.
        job: of all processes.
        target: what this one starts: the job's, or its own way to that.
        chosen: its cases.
        records: name of its file of records.
    """

    def tell(message: Message) -> None:
        pipe.send_bytes(msgspec.json.encode(message))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent ends us
    if target is not job.target:  # then it may be told to end, and closes its connections
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run = certify(
            target,
            chosen,
            job.folder,
            called=job.called,
            facts=job.facts,
            weather=job.weather,
            captures=job.captures,
            records=records,
            time_limit=job.time_limit,
            on_begin=lambda case, _planned: tell(Begun(case)),
            on_case=lambda record, _planned: tell(printable(record)),
            scenarios_folder=job.scenarios_folder,
        )
        reason = run.footer.reason if run.footer is not None else INTERRUPTED
        tell(Lost() if reason.startswith(INTERRUPTED) else Stopped(refused=reason))
    except KeyboardInterrupt:  # `DeviceLost` as well
        tell(Lost())
    except (FabricError, OSError, SuiteError, TargetError, Unsupported) as error:
        tell(Stopped(" ".join(str(error).split())))
    # Neither buffers nor threads of the parent are ours to end; an exception that is not expected
    # does not come here, and multiprocessing shows its traceback.
    os._exit(0)
