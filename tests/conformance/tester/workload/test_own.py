from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.workload import own
from conformance.tester.workload.base import NullWorkload
from conformance.tester.workload.testprog import TestprogWorkload
from rpcrdma.ulp import testprog_calls
from targets.base import Unsupported
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.sent import Request
    from conformance.tester.workload.base import Workload

MAKERS: dict[str, Callable[[Workload], Request]] = {
    "a block": lambda workload: own.store_optional(workload, present=True),
    "no block": lambda workload: own.store_optional(workload, present=False),
    "one of two blocks": lambda workload: own.fetch_optional(workload, first=False, second=True),
    "items": lambda workload: own.store_array(workload, (5, 0, 8)),
    "choices": lambda workload: own.fetch_array(workload, (5, None, 8)),
    "rows": lambda workload: own.store_rows(workload, 3, 2),
    "fetched rows": lambda workload: own.fetch_rows(workload, 3, 2),
}


@pytest.mark.parametrize("name", MAKERS)
def test_right_reply_is_known(name: str) -> None:
    request = MAKERS[name](TestprogWorkload())
    call = request.encode(5)
    reply = testprog_calls.expected_reply(call)

    assert request.check(call, reply) == ""
    assert request.check(call, reply[:-4]) != ""


@pytest.mark.parametrize("name", MAKERS)
def test_another_binding_has_no_such_call(name: str) -> None:
    workload = NullWorkload(find_profile("reference"))

    with pytest.raises(Unsupported, match="the suite's own program alone"):
        MAKERS[name](workload)


def test_arguments_and_results_are_those_that_are_asked_for() -> None:
    workload = TestprogWorkload()

    stored = own.store_array(workload, (5, 0, 8))
    fetched = own.fetch_array(workload, (5, None, 8))

    assert [item.length for item in stored.layer.arguments(stored.encode(1))] == [5, 0, 8]
    assert fetched.layer.expectation(fetched.encode(1)).items == (5, 0, 8)
