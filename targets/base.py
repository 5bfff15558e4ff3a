"""What an adapter for a device under test (DUT) implements.

A `Target` is a device that can be set going; a `Session` is the device while it runs.  The suite
asks an adapter for little: the fabric on which the tester stands, the address at which the device
listens, whether it still lives, and to be started again after a case has brought it down.

An adapter that cannot do what it is asked says so with `Unsupported`; it never pretends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Address, Fabric
    from targets.profile import Profile

__all__ = ["Session", "Stimulus", "Target", "TargetError", "TargetFactory", "Unsupported"]


class TargetError(Exception):
    """A target cannot be found, started or reached; the message says why and what to do.

    The command line prints it as its one sentence and exits with status 2.
    """


class Unsupported(Exception):  # an answer, not an error
    """The adapter (or the profile's binding) cannot do this; the message says what and why."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """Something that a device is asked to do of its own accord: what an upper tester is told.

    Attributes:
        action: a name that adapters know, `mount`.
        arguments: (name, value) pairs.
    """

    action: str
    arguments: tuple[tuple[str, str], ...] = ()


class Session(Protocol):
    """A running device."""

    @property
    def fabric(self) -> Fabric:
        """Where the tester stands.  On loopback, polling it gives the device its turns."""
        ...

    @property
    def address(self) -> Address:
        """Where the device listens (a device in the Responder role)."""
        ...

    def alive(self) -> str | None:
        """None while the device runs as far as can be told, else how it died, in a few words.

        Must not block and must not send the device anything: whether it still *serves* is for the
        suite to find out, by a good call.
        """
        ...

    def restart(self) -> None:
        """Start the device again, whatever state it is in; `fabric` may be another one afterwards.

        Raises:
            TargetError: it does not come up, or the adapter has no means to start it.
        """
        ...

    def stimulate(self, stimulus: Stimulus) -> None:
        """Have the device do something.

        Raises:
            Unsupported: the adapter does not know the action.
        """
        ...

    def close(self) -> None:
        """Stop the device (if the adapter started it) and release the fabric.  Twice is allowed."""
        ...


class Target(Protocol):
    """A device that can be set going."""

    @property
    def name(self) -> str:
        """As it is called on the command line and in reports."""
        ...

    @property
    def profile(self) -> Profile:
        """Its claims and the extra information for testing it."""
        ...

    def start(self) -> Session:
        """Set the device going.

        Raises:
            TargetError: it does not come up.
            DeviceUnavailable: the fabric has no usable device.
        """
        ...


if TYPE_CHECKING:
    TargetFactory = Callable[[Profile, str], Target]
    """Makes a target from its profile and the fabric (`loopback`, `verbs`; empty: its usual one).

    This is what the entry points of group `rpcrdma_conformance.targets` name.  A factory raises
    `TargetError` for a fabric that it does not have.
    """
