"""Calls that wait for their replies."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rpcrdma.endpoint.responder.executing import Executing

FIRST, SECOND, OTHER = (SimpleNamespace(name=name) for name in ("first", "second", "other"))


@pytest.fixture
def executing() -> Executing:
    """Two calls with XID 7, one with XID 8."""
    found = Executing()
    found.add(7, FIRST, b"1")
    found.add(8, OTHER, b"3")
    found.add(7, SECOND, b"2")
    return found


@pytest.mark.parametrize(("newest", "expected"), [(False, (FIRST, b"1")), (True, (SECOND, b"2"))])
def test_of_two_calls_with_one_xid_age_decides(
    executing: Executing, *, newest: bool, expected: object
) -> None:
    assert executing.take(7, newest=newest) == expected
    assert len(executing) == 2


def test_what_was_taken_waits_no_longer(executing: Executing) -> None:
    executing.take(8, newest=False)

    assert list(executing.calls()) == [FIRST, SECOND]
    with pytest.raises(KeyError):
        executing.take(8, newest=False)


def test_nothing_waits_when_all_is_forgotten(executing: Executing) -> None:
    assert executing.oldest_xid == 7
    executing.clear()

    assert (len(executing), executing.oldest_xid) == (0, None)
