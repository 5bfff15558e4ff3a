"""Replies with less data than was asked for, by any program: a short read, for instance.

A scenario that wants a result to travel inline although its call has a Write chunk needs one that
is short enough.  What the program is does not matter: the call is executed as though it had asked
for fewer octets, with the word of its arguments changed that says how many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import rpc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["reply_with_fewer"]

WORD: Final = 4


def reply_with_fewer(layer: UpperLayer, call: bytes, octets: int) -> bytes:
    """The unreduced reply to a call that asks for one result, had it asked for so many octets.

    Args:
        layer: the program that executes it.
        call: unreduced.
        octets: fewer than it asks for.

    Raises:
        Inconclusive: the program does not tell in one word how much is wanted.
    """
    try:
        for changed in _asking(layer, call, octets):
            for reply in layer.execute(changed):
                items = [item for item in layer.results(changed, reply) if item is not None]
                if [item.length for item in items] == [octets]:
                    return reply
    except (DecodeError, LocalProtocolError) as error:
        raise Inconclusive(f"the call cannot be asked for less: {error}") from error
    raise Inconclusive("the call does not say in one word how many octets it wants")


def _asking(layer: UpperLayer, call: bytes, octets: int) -> Iterator[bytes]:
    """The call with each word replaced in turn that may be the number of octets."""
    asked = layer.expectation(call).items
    if len(asked) != 1:
        return
    wanted = asked[0].to_bytes(WORD)
    _, start = rpc.decode_call(call)
    for at in range(start, len(call), WORD):
        if call[at : at + WORD] == wanted:
            yield call[:at] + octets.to_bytes(WORD) + call[at + WORD :]
