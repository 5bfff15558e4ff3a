"""`rpcrdma decode FILE.pcapng`: the messages of a capture, one after the other."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from conformance.bad_input import BadInput
from conformance.cli.decoded import as_data, as_text

if TYPE_CHECKING:
    from pathlib import Path

    from reports.capture.messages import CapturedMessage

__all__ = ["print_capture"]

_XID = slice(0, 4)


def print_capture(path: Path, xid: int | None, connection: int | None, *, as_json: bool) -> None:
    """Print the messages that were asked for, each as soon as it is read.

    Args:
        path: of the capture.
        xid: print those under this XID only.
        connection: print those of the connection with this number only.
        as_json: as one JSON object a line.

    Raises:
        BadInput: the file is no capture, or there is no such message in it.
    """
    # Importing the reader of captures takes longer than all that other commands do.
    from reports.capture.messages import CaptureError, read_messages

    shown = 0
    try:
        for message in read_messages(path):
            if _is_wanted(message, xid, connection):
                shown += 1
                print(json.dumps(_as_data(message)) if as_json else _as_text(message))
    except CaptureError as error:
        raise BadInput(str(error)) from error
    if not shown:
        wanted = [f" under XID {xid:#010x}"] if xid is not None else []
        wanted += [f" of connection {connection}"] if connection is not None else []
        without = "; all are shown without --xid and --connection" if wanted else ""
        raise BadInput(f"`{path}` holds no RDMA Send{''.join(wanted)}{without}")


def _is_wanted(message: CapturedMessage, xid: int | None, connection: int | None) -> bool:
    if connection not in {None, message.connection}:
        return False
    return xid is None or message.octets[_XID] == xid.to_bytes(4, "big")


def _as_text(message: CapturedMessage) -> str:
    ends = [f"{message.source} -> {message.destination}"]
    if message.sender:
        ends.append("from the client" if message.sender == "client" else "from the server")
    if not message.complete:
        ends.append("its end is not in the capture")
    place = f"frame {message.frame}, {_moment(message)}, connection {message.connection}"
    return f"{place}, {', '.join(ends)}\n{as_text(message.octets)}\n"


def _as_data(message: CapturedMessage) -> dict[str, Any]:
    return {
        "frame": message.frame,
        "time": _moment(message),
        "connection": message.connection,
        "sender": message.sender or None,
        "source": message.source,
        "destination": message.destination,
        "complete": message.complete,
        **as_data(message.octets),
    }


def _moment(message: CapturedMessage) -> str:
    try:
        return datetime.fromtimestamp(message.time, UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError, OSError):
        return f"{message.time:.6f} s since 1970"  # later than the year 9999: nobody's clock
