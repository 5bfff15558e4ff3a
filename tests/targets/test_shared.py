"""What testers of one device keep apart."""

from __future__ import annotations

import pytest

from targets.registry import find_profile
from targets.shared import DeviceLost, give_up, writing_apart


def test_the_first_tester_writes_where_one_alone_does() -> None:
    profile = find_profile("linux-server")
    assert writing_apart(profile, 1) == profile


def test_no_two_write_to_the_same_place() -> None:
    profile = find_profile("linux-server")
    starts = [writing_apart(profile, tester).extra.write_offset for tester in (1, 2, 3)]
    assert starts == [0, 1 << 20, 1 << 21]


def test_a_lost_device_ends_the_tester_as_the_keyboard_does() -> None:
    with pytest.raises(KeyboardInterrupt) as ended:
        give_up()
    assert isinstance(ended.value, DeviceLost)
