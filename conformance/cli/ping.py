"""`rpcrdma ping`: whether a server is there."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from conformance.bad_input import seconds_above_zero
from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded, DecodeError
from targets.fabrics import BETWEEN, fabric_towards, usual_fabric
from targets.ping import ping
from targets.profile import timeout_factor
from targets.reference.device_process import parse_address

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Address

__all__ = ["add_parser", "run"]

_PORT: Final = 20049
"""Registered for NFS over RDMA (rfc8267 section 8)."""
_NFS: Final = 100003
_SECONDS: Final = 3.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `ping` to the command line."""
    parser = subparsers.add_parser(
        "ping",
        help="ask a server whether it is there",
        description=(
            "Connect to a server, make one NULL call, and print version, credits, private data and"
            " round-trip time in one line. Needs neither an RDMA device nor root: without a device,"
            " RoCEv2 is spoken over UDP. The exit status is 0 if the server answered."
        ),
        epilog="example: rpcrdma ping 192.0.2.7:20049",
    )
    parser.add_argument("address", metavar="ADDRESS[:PORT]", type=_address)
    parser.add_argument("--fabric", choices=BETWEEN, help="default: verbs if there is a device")
    parser.add_argument("--program", type=int, default=_NFS, metavar="N", help="default: NFS")
    parser.add_argument("--program-version", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument(
        "--timeout", type=seconds_above_zero, default=_SECONDS, metavar="SECONDS", help="default: 3"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ping; 1 if there is no answer."""
    address: Address = arguments.address
    name = arguments.fabric or usual_fabric()
    program = (arguments.program, arguments.program_version)
    with fabric_towards(name, address.host) as fabric:
        try:
            print(ping(fabric, address, program, arguments.timeout * timeout_factor()))
        except (ConnectionLost, ConnectionRejected, DeadlineExceeded, DecodeError) as error:
            told = str(error)
            where = "" if str(address) in told else f"{address}: "
            print(f"rpcrdma ping: {where}{told} (over {fabric.name})", file=sys.stderr)
            return 1
    return 0


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    try:
        return parse_address(text if colon and port.isdigit() and host else f"{text}:{_PORT}")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
