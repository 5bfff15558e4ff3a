"""Programs that the agent runs, by what is told of them."""

from __future__ import annotations

import queue
from typing import Any

import pytest

from targets.standing.guest_programs import GuestPrograms
from targets.standing.lines import as_octets

SECONDS = 10.0


class Heard:
    """What the tester hears of programs."""

    def __init__(self) -> None:
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self.programs = GuestPrograms(self._events.put, {"FROM_SETUP": "here"})

    def next(self) -> dict[str, Any]:
        return self._events.get(timeout=SECONDS)

    def start(self, script: str, *, speaks: bool = False) -> None:
        self.programs.start(1, ["sh", "-c", script], {"OWN": "too"}, speaks=speaks)


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_the_end_tells_status_output_and_complaints(heard: Heard) -> None:
    heard.start('printf "$FROM_SETUP $OWN"; echo first >&2; echo last >&2; exit 3')
    ended = heard.next()
    assert as_octets(ended.pop("output")) == b"here too"
    assert ended == {"event": "ended", "program": 1, "status": 3, "complaints": "first\nlast\n"}


def test_a_program_that_speaks_answers_line_by_line(heard: Heard) -> None:
    heard.start('while read -r line; do echo "heard $line"; done', speaks=True)
    for word in ("one", "two"):
        heard.programs.tell(1, word)
        assert heard.next() == {"event": "said", "program": 1, "line": f"heard {word}"}
    heard.programs.kill(1)
    assert heard.next()["status"] == -9


def test_what_was_said_before_the_end_comes_before_it(heard: Heard) -> None:
    heard.start("echo done", speaks=True)
    assert [heard.next()["event"], heard.next()["event"]] == ["said", "ended"]


def test_a_program_goes_with_what_it_has_started(heard: Heard) -> None:
    heard.start("sleep 1000 & echo started; wait", speaks=True)
    assert heard.next()["line"] == "started"
    heard.programs.kill_all()
    assert heard.next()["event"] == "ended"


def test_a_program_has_its_process_until_it_ends(heard: Heard) -> None:
    heard.start("read x; echo $$; exec cat", speaks=True)
    heard.programs.tell(1, "who are you")
    assert str(heard.programs.process(1)) == heard.next()["line"]
    heard.programs.kill(1)
    heard.next()
    assert heard.programs.process(1) == 0


def test_one_that_has_ended_is_told_and_killed_in_vain(heard: Heard) -> None:
    heard.start("exit 0", speaks=True)
    heard.next()
    heard.programs.tell(1, "nobody")
    heard.programs.kill(1)


def test_one_that_does_not_exist_is_an_error(heard: Heard) -> None:
    with pytest.raises(FileNotFoundError):
        heard.programs.start(1, ["/no/such/program"], {}, speaks=False)
