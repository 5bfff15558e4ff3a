"""A device that has said that a property stays is not made to change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.options.changes import require_change
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import PROP_RBSIZ, ReceiveBufferSize, property_values
from targets.base import Unsupported
from tests.conformance.options.test_verify import Heeding, said

if TYPE_CHECKING:
    from conformance.options.tester import Heard

SIZE = property_values(ReceiveBufferSize(4096))


@pytest.mark.parametrize(
    "told", [ConnProp(SIZE, (1,)), ConnProp((), ())], ids=["marked", "left out"]
)
def test_what_stays_is_not_asked_for(told: ConnProp) -> None:
    with pytest.raises(Unsupported, match="stays as it is"):
        require_change(Heeding([said(told)]), PROP_RBSIZ)


@pytest.mark.parametrize("told", [[said(ConnProp(SIZE, ()))], []], ids=["free", "nothing told"])
def test_anything_else_may_change(told: list[Heard]) -> None:
    require_change(Heeding(told), PROP_RBSIZ)
