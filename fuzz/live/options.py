"""What goes with `rpcrdma fuzz --live`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from targets.fabrics import FABRICS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_options"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what goes with `--live`."""
    live = parser.add_argument_group(
        "with --live",
        "The device is that of a profile. A kernel's is in a guest of the lab, whose blocks are"
        " counted as QEMU (TCG) translates them: an input that reaches new ones, or is answered in"
        " a new way, is kept and changed further. Answers are judged by the specification; a good"
        " call must be served now and then; the kernel's log is read. A device that has died is"
        " started again. A server gets messages, and steps between them: connections, their ends,"
        " memory withdrawn, floods, answers to backward calls. A client is told to act by its"
        " profile, and the tester is its server.",
    )
    live.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="for the corpus, and for report and findings of each campaign (campaign-1, ...);"
        " default: live-PROFILE",
    )
    live.add_argument(
        "--destructive",
        action="store_true",
        help="send also what may bring a device down or damage its data; see SECURITY.md",
    )
    live.add_argument(
        "--empty", action="store_true", help="begin with no seeds and with an empty corpus"
    )
    live.add_argument(
        "--modules",
        default="rpcrdma,sunrpc",
        metavar="NAMES",
        help="of the kernel, whose blocks count; default: %(default)s",
    )
    guide = live.add_mutually_exclusive_group()
    guide.add_argument(
        "--no-blocks",
        action="store_true",
        help="be guided by answers alone; needs no C compiler, and takes KVM where there is one",
    )
    guide.add_argument(
        "--ftrace",
        action="store_true",
        help="count the functions that this machine's kernel calls: of a device that is its own, as"
        " on bare metal",
    )
    live.add_argument(
        "--scenarios",
        action="store_true",
        help="judge the device by the suite's cases instead, and keep the blocks that they reach:"
        " the report of a campaign with the same --output compares with them",
    )
    live.add_argument("--fabric", default="", choices=FABRICS)
    live.add_argument(
        "--kernel", default="", help="of the lab: release, image, or the tree in which it was built"
    )
