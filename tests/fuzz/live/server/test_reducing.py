"""Messages and steps made smaller."""

from __future__ import annotations

from itertools import pairwise

from fuzz.live.move import Move
from fuzz.live.reducing import reduced
from fuzz.live.server.reducing import smaller_item
from fuzz.live.server.steps import encode_step, step_of
from fuzz.responder_executor import good_call


def test_what_does_nothing_is_left_out_and_numbers_get_smaller() -> None:
    def does_it(candidate: list[bytes]) -> bool:
        """Whether a flood of at least 5 comes after a message."""
        kinds = [step_of(item) for item in candidate]
        return any(
            one is None and other is not None and other.kind == "flood" and other.value >= 5
            for one, other in pairwise(kinds)
        )

    items = [
        encode_step(Move("connect", 3, 4)),
        good_call(),
        encode_step(Move("flood", 77, 1000)),
        encode_step(Move("close", 9)),
    ]
    message, flood = reduced(items, does_it, 500, smaller_item)
    assert step_of(flood) == Move("flood", 0, 5)
    assert len(message) < len(good_call())


def test_each_candidate_is_another_item() -> None:
    for item in (good_call(), encode_step(Move("call", 1, 1))):
        made = list(smaller_item(item))
        assert made
        assert item not in made
    assert list(smaller_item(encode_step(Move("close")))) == []
