"""What a parser's process says, or does instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz.buckets import bucket_of
from fuzz.invariant import BrokenInvariant
from fuzz.parsers.dialogue import Dialogue
from tests.fuzz.parsers.programs import answering, python

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

SOON = 0.3
"""Seconds after which a parser that never answers is given up."""


@pytest.fixture
def opened() -> Iterator[list[Dialogue]]:
    dialogues: list[Dialogue] = []
    yield dialogues
    for dialogue in dialogues:
        dialogue.close()


def start(opened: list[Dialogue], command: Sequence[str], seconds: float = 30) -> Dialogue:
    opened.append(Dialogue(command, seconds, seconds))
    return opened[-1]


def breaks(invariant: str, words: str) -> AbstractContextManager[object]:
    return pytest.raises(BrokenInvariant, match=f"(?s){invariant}: .*{words}")


def test_a_line_of_hexadecimal_is_answered_by_a_line(opened: list[Dialogue]) -> None:
    dialogue = start(opened, answering("'no ' + line.strip() + '!'"))

    assert dialogue.ask(b"\1\xff") == "no 01ff!"
    assert dialogue.ask(b"") == "no !"


def test_one_process_answers_many(opened: list[Dialogue]) -> None:
    dialogue = start(opened, answering("'ok', os.getpid()"))

    assert dialogue.ask(b"1") == dialogue.ask(b"2")


def test_a_death_tells_the_signal_and_the_last_words_and_another_begins(
    opened: list[Dialogue],
) -> None:
    text = "import os, sys\nfor line in sys.stdin:\n if line[0] == '0': print('no', flush=True)\n"
    text += " else: sys.stderr.write('too bad\\n'); sys.stderr.flush(); os.abort()"
    dialogue = start(opened, python(text))
    dialogue.ask(b"\0")

    with breaks("parser-died", "SIGABRT: too bad"):
        dialogue.ask(b"\x10")

    assert dialogue.ask(b"\0") == "no"


def test_the_summary_of_a_sanitizer_is_its_last_word(opened: list[Dialogue]) -> None:
    text = "import sys; sys.stderr.write('SUMMARY: AddressSanitizer: overflow p.c:9\\nABORTING\\n')"
    dialogue = start(opened, python(f"input(); {text}; sys.exit(7)"))

    with breaks("parser-died", "status 7: SUMMARY: AddressSanitizer: overflow p.c:9"):
        dialogue.ask(b"\0")


def test_deaths_of_another_kind_are_another_finding(opened: list[Dialogue]) -> None:
    seen = []
    for ending in ("os.abort()", "os.kill(os.getpid(), 11)", "sys.exit('what')"):
        dialogue = start(opened, python(f"import os, sys; input(); {ending}"))
        with pytest.raises(BrokenInvariant) as caught:
            dialogue.ask(b"\0")
        seen.append(bucket_of(caught.value))

    assert len(set(seen)) == len(seen)


def test_a_program_that_has_ended_before_it_is_asked_again_is_dead(opened: list[Dialogue]) -> None:
    dialogue = start(opened, python("input(); print('no', flush=True)"))
    dialogue.ask(b"\0")

    with breaks("parser-died", "status 0"):
        dialogue.ask(b"\0")


def test_silence_ends(opened: list[Dialogue]) -> None:
    dialogue = start(opened, answering("time.sleep(600)"), SOON)

    with breaks("parser-hung", "no answer within 0.3 s"):
        dialogue.ask(b"\0")


def test_only_the_very_first_answer_may_take_longer(opened: list[Dialogue]) -> None:
    text = "import sys\nfor line in sys.stdin:\n if line[0] == '0': print('no', flush=True)\n"
    opened.append(Dialogue(python(text), SOON, 30))
    assert opened[0].ask(b"\0") == "no"

    with breaks("parser-hung", "no answer within 0.3 s"):
        opened[0].ask(b"\x10")


def test_a_closed_output_is_no_answer(opened: list[Dialogue]) -> None:
    dialogue = start(opened, python("import os, time; input(); os.close(1); time.sleep(600)"), 1)

    with breaks("parser-hung", "closed its standard output|no answer"):
        dialogue.ask(b"\0")


@pytest.mark.parametrize("expression", ["'hello'", "'ok'", "'ok -1'", "'ok 1  2'", "'', 'no'"])
def test_other_words_are_garbled(opened: list[Dialogue], expression: str) -> None:
    dialogue = start(opened, answering(expression))

    with breaks("answer-garbled", "it answers"):
        dialogue.ask(b"\0")


def test_two_lines_are_garbled(opened: list[Dialogue]) -> None:
    dialogue = start(opened, answering(r"'no\nno'"))

    with breaks("answer-garbled", "it answers"):
        dialogue.ask(b"\0")


def test_what_it_complains_of_does_not_stop_it(opened: list[Dialogue]) -> None:
    dialogue = start(opened, answering("'no', sys.stderr.write('x' * 200000)"))

    assert dialogue.ask(b"\0") == "no 200000"
    assert dialogue.ask(b"\0") == "no 200000"
