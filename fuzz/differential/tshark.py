"""What Wireshark's own dissector makes of Version One headers: thousands of them in one run of it.

The headers stand in a capture as Sends of a connection each, since the dissector keeps state by
conversation; one run of tshark prints the fields of all.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from conformance.bad_input import BadInput
from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FIELDS", "Dissected", "dissect"]

FIELDS: Final = (
    *("xid", "version", "flow_control", "msg_type", "rdma_align", "rdma_thresh"),
    *("position", "segment_count", "rdma_handle", "rdma_length", "rdma_offset"),
    *("errcode", "vers_low", "vers_high"),
)
"""The dissector's names, without their prefix."""

_PREFIX: Final = "rpcordma"
_PROTOCOLS: Final = "frame.protocols"
_MALFORMED: Final = "_ws.malformed"
_LIMIT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Dissected:
    """What it says of one message.

    Attributes:
        recognised: whether it takes it for one of RPC-over-RDMA.
        malformed: whether anything in it, the Payload stream too, is beyond its end.
        fields: of the header: each has as many values as it occurs.
    """

    recognised: bool
    malformed: bool = False
    fields: dict[str, tuple[int, ...]] = field(default_factory=dict)


def dissect(messages: Sequence[bytes]) -> list[Dissected]:
    """What tshark says of each message.

    Args:
        messages: each at most of the octets of one packet.

    Raises:
        BadInput: there is no tshark on this machine, or it gives up.
    """
    events = [
        TraceEvent(float(number), number, Side.LOCAL, EventKind.SEND, message)
        for number, message in enumerate(messages, start=1)
    ]
    with TemporaryDirectory(prefix="rpcrdma-tshark-") as folder:
        capture = Path(folder) / "headers.pcapng"
        write_pcapng(Trace(events), capture)
        packets = json.loads(_printed(capture))
    return [_read(packet["_source"]["layers"]) for packet in packets]


def _printed(capture: Path) -> str:
    wanted = (*(f"{_PREFIX}.{name}" for name in FIELDS), _PROTOCOLS, _MALFORMED)
    options = [word for name in wanted for word in ("-e", name)]
    try:
        ran = subprocess.run(
            ["tshark", "-n", "-r", str(capture), "-T", "json", *options],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise BadInput("tshark is missing: apt-get install tshark") from error
    except subprocess.TimeoutExpired as error:
        raise BadInput(f"tshark has not read {capture} within {_LIMIT_S:g} s") from error
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[-1]
        raise BadInput(f"tshark has not read the capture: {said}")
    return ran.stdout


def _read(layers: dict[str, Any]) -> Dissected:
    fields = {
        name: tuple(int(value, 0) for value in layers.get(f"{_PREFIX}.{name}", ()))
        for name in FIELDS
    }
    recognised = _PREFIX in str(layers.get(_PROTOCOLS))
    return Dissected(recognised, _MALFORMED in layers, fields)
