"""The harness of both ends: undisturbed calls end well, disturbed ones end, planted bugs show."""

from __future__ import annotations

import pytest

from fuzz.end_steps import EndAct, EndStep, join_end_steps
from fuzz.ends_world import CLIENTS, SERVERS, Ends
from fuzz.engine import implementation
from fuzz.harnesses.ends import check
from fuzz.invariant import BrokenInvariant
from fuzz.planted import PLANTED

CALL = EndStep(act=EndAct.CALL, which=1, length=40)
SETTLE = EndStep(act=EndAct.SETTLE)
FETCH = EndStep(act=EndAct.CALL, which=5, length=3000)


@pytest.mark.parametrize("client", range(len(CLIENTS)))
def test_every_client_calls_any_server(client: int) -> None:
    for server in (0, client % len(SERVERS)):
        check(join_end_steps(client, server, [CALL, SETTLE, FETCH]), Ends())


def test_what_is_disturbed_ends_all_the_same() -> None:
    bits = EndStep(act=EndAct.EDIT, which=1, value=77)
    steps = [CALL, SETTLE, bits, FETCH, EndStep(act=EndAct.LOSE, which=1), CALL]

    check(join_end_steps(0, 0, steps), Ends())


def test_items_in_the_wrong_order_are_found() -> None:
    harness, name = PLANTED["items-swapped"]
    assert harness == "ends"
    octets = join_end_steps(9, 0, [CALL, SETTLE, FETCH])
    check(octets, Ends())

    with pytest.raises(BrokenInvariant, match="not-well"):
        check(octets, implementation(name)())
