"""The two decoders of headers that Linux has: its NFS/RDMA server's, of Calls, and its client's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fuzz.differential import client_trace, kernel_trace
from fuzz.differential.by_client import BothSayOfReply, compare_replies
from fuzz.differential.by_kernel import BothSay, compare_calls
from fuzz.differential.inputs import with_and_without_reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from enum import Enum

    from fuzz.differential.two_decoders import HeaderComparison

__all__ = ["SIDES", "KernelSide"]


@dataclass(frozen=True, slots=True)
class KernelSide:
    """One of them, and how it is asked.

    Attributes:
        profile: of the device that has it.
        decodes: what it decodes, in one word.
        events: which of the kernel's tell what it makes of a header.
        inputs: what is sent for the headers that are chosen.
        compare: what was sent, and the trace, with what ours says.
        kinds: what may come of a header.
    """

    profile: str
    events: tuple[str, ...]
    inputs: Callable[[Iterable[bytes]], list[bytes]]
    compare: Callable[[Iterable[bytes], Iterable[str]], list[HeaderComparison]]
    kinds: type[Enum]


SIDES: Final[Mapping[str, KernelSide]] = {
    "server": KernelSide("linux-server", (kernel_trace.EVENTS,), list, compare_calls, BothSay),
    "client": KernelSide(
        "linux-client",
        client_trace.EVENTS,
        with_and_without_reads,
        compare_replies,
        BothSayOfReply,
    ),
}
"""By the role of the device."""
