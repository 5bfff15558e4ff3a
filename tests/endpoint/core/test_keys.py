from __future__ import annotations

from itertools import islice

from rpcrdma.endpoint.core.keys import Keys


def test_keys_are_the_numbers_from_one_on() -> None:
    keys = Keys()

    assert list(islice(keys, 3)) == [1, 2, 3]
    assert keys.last == 3
