"""Own values that the peer has yet to be told by ROPT_UPDPROP, one for each property.

    xcharext section 3.1  Receive Buffer Size (a longer one is told when no shorter one is left)
    xcharext section 4.4  ROPT_UPDPROP: Update Transport Properties

They wait for the message before them to be acknowledged (D-54) or for Receives to be used up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.wire.properties import PROP_RBSIZ, ReceiveBufferSize, property_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.wire.properties import KnownProperty

__all__ = ["UntoldValues"]


class UntoldValues:
    """What waits to be told; a later value of a property replaces an earlier one."""

    def __init__(self) -> None:
        self._values: dict[int, KnownProperty] = {}

    @property
    def length(self) -> int | None:
        """Octets that Receives are to have, if that waits."""
        waiting = self._values.get(PROP_RBSIZ)
        return waiting.octets if isinstance(waiting, ReceiveBufferSize) else None

    def change(self, values: Iterable[KnownProperty]) -> None:
        """This end has decided on these values."""
        self._values |= {property_of(value).code: value for value in values}

    def lengthen(self, octets: int) -> None:
        """Receives are to have this length at least."""
        self._values[PROP_RBSIZ] = ReceiveBufferSize(max(octets, self.length or 0))

    def granted(self, value: KnownProperty, *, is_shorter: bool) -> None:
        """The peer asked for a value and has it: what said something else is out of date.

        An enlargement beyond a granted length goes on, unless the peer asked for less than it had.
        """
        goal = self.length
        self._values.pop(property_of(value).code, None)
        if (
            isinstance(value, ReceiveBufferSize)
            and goal is not None
            and goal > value.octets
            and not is_shorter
        ):
            self.lengthen(goal)

    def take(self, may_tell_length: Callable[[int], bool]) -> tuple[KnownProperty, ...]:
        """What may be told now; it waits no longer."""
        now = tuple(
            value
            for value in self._values.values()
            if not isinstance(value, ReceiveBufferSize) or may_tell_length(value.octets)
        )
        for value in now:
            del self._values[property_of(value).code]
        return now

    def clear(self) -> None:
        """Nothing will be told."""
        self._values.clear()
