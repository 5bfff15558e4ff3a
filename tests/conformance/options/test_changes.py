"""Changes that a device makes, and those that it has said it will not make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.options.changes import raised, require_change
from rpcrdma.wire.operations import ConnProp, RespProp, UpdProp
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


HALF = property_values(ReceiveBufferSize(8192))
WHOLE = property_values(ReceiveBufferSize(16384))


@pytest.mark.parametrize(
    ("answer", "later", "size"),
    [
        (RespProp((1,), (), ()), [], 16384),
        (RespProp((), (), HALF), [], 8192),
        (RespProp((), (), HALF), [said(UpdProp(WHOLE))], 16384),
        (RespProp((), (1,), ()), [], 4096),
    ],
    ids=["done", "another", "another, and more later", "rejected"],
)
def test_a_raise_is_over_when_the_device_has_told_all(
    answer: RespProp, later: list[Heard], size: int
) -> None:
    device = Heeding(late=[said(answer, 0), *later])
    assert raised(device, 16384) == size
