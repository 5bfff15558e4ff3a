"""An exit status in words."""

from __future__ import annotations

import pytest

from targets.endings import said_last, words_of_end


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "ended with status 0"),
        (3, "ended with status 3"),
        (-9, "was ended by SIGKILL"),
        (-11, "was ended by SIGSEGV"),
        (-63, "was ended by signal 63"),
    ],
)
def test_an_end_is_told_by_its_status_or_by_the_name_of_its_signal(status: int, words: str) -> None:
    assert words_of_end(status) == words


def test_last_words_follow_the_end_if_there_were_any() -> None:
    assert said_last("no room / bye") == "; it said last: no room / bye"
    assert said_last("") == ""
