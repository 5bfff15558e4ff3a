"""Where clients connect: listens, and hands over each of their requests.

Nothing here raises for what a client does; a request that comes to nothing is a `mishap`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Address, ConnectionRequest, Fabric

__all__ = ["Reception"]


class Reception:
    """One listening address.

    Attributes:
        mishap: why the latest request came to nothing; empty if none did.

    Args:
        fabric: on which it listens.
        address: where.
        answer: takes up a request.
    """

    def __init__(
        self, fabric: Fabric, address: Address, answer: Callable[[ConnectionRequest], None]
    ) -> None:
        self.mishap = ""
        self._listener = fabric.listen(address)
        self._answer = answer
        self._closed = False
        # A device in this process connects inside a turn of its own, and must be accepted there.
        fabric.attach(self.look)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._listener.address

    def look(self) -> None:
        """Take up whoever wants to connect.  Does not block."""
        self.admit(0.0)

    def admit(self, timeout: float) -> None:
        """Take up whoever wants to connect within so many seconds."""
        if self._closed:
            return
        # Both waits may give others their turns, and so come back here: a client in this process
        # connects while the outer one waits, and is accepted by the inner one.
        try:
            request = self._listener.accept(timeout)
            if request is not None:
                self._answer(request)
        except FabricError as error:
            self.mishap = str(error)  # the client will try again, or its act will fail

    def close(self) -> None:
        """Stop listening.  Twice is allowed."""
        self._closed = True
        self._listener.close()
