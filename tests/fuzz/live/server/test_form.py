"""Messages and steps as a finding has them."""

from __future__ import annotations

from conformance.explore.finding import Finding
from fuzz.live.findings import MESSAGES
from fuzz.live.move import Move
from fuzz.live.server.form import STEPS
from fuzz.live.server.steps import WAY, encode_step, item_of
from fuzz.responder_executor import good_call

BARE = Finding(STEPS.way, "linux-server", 7, ("rule",), "seen")


def test_messages_alone_are_kept_as_inputs_of_the_ordinary_harness() -> None:
    found = STEPS.put(BARE, [good_call()])
    assert found == MESSAGES.put(BARE, [good_call()])
    assert (found.way, found.lines) == ("v1-responder", ())
    assert found.octets.endswith(good_call()[4:28] + found.octets[30:])


def test_what_has_steps_is_kept_as_lines() -> None:
    step = encode_step(Move("hurry", 1))
    found = STEPS.put(BARE, [step, good_call()])
    assert (found.way, found.octets, found.lines[0]) == (WAY, b"", "hurry 1 0")
    assert item_of(found.lines[1])[4:28] == good_call()[4:28]
    assert (found.target, found.seed, found.broken, found.detail) == (
        "linux-server",
        7,
        ("rule",),
        "seen",
    )
