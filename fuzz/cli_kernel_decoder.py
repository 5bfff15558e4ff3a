"""`rpcrdma dev kernel-decoder`: whether Linux decodes headers as our decoder does."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from conformance.suite.in_lab import module_run
from fuzz.differential import in_guest
from fuzz.differential.inputs import add_input_options, chosen_inputs
from fuzz.differential.kernel_sides import SIDES
from fuzz.differential.two_decoders import tell_disagreements
from targets.lab.console import Severity
from targets.lab.errors import LabError
from targets.lab.lab import Ending, run_in_lab
from targets.registry import find_profile

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from fuzz.differential.kernel_sides import KernelSide
    from fuzz.differential.two_decoders import HeaderComparison

__all__ = ["add_parser", "compare_in_lab", "run"]

_DEADLINE_S: Final = 1800.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `kernel-decoder` to the project's tools."""
    parser = subparsers.add_parser(
        "kernel-decoder",
        help="whether Linux decodes headers as our decoder does",
        description=(
            "Send the Version One headers of a corpus, and mutations of them, to the kernel's"
            " NFS/RDMA server in the lab, or give them to its client as Replies to calls of its"
            " own, and compare what its decoder traces of each (taken, with which segments and to"
            " which octet, or refused) with what ours says. What may bring the server down is not"
            " sent. Exit status 1 if they disagree; fuzz/DISAGREEMENTS.md says on what they may."
        ),
        epilog="example: rpcrdma dev kernel-decoder --of client --mutations 4 --seed 7",
    )
    add_input_options(parser, mutations=1)
    parser.add_argument(
        "--of",
        choices=tuple(SIDES),
        default="server",
        help="whose decoder: the server's, of Calls, or the client's, of Replies; default: "
        "%(default)s",
    )
    parser.add_argument(
        "--kernel", default="", metavar="KERNEL", help="release or image; default: the newest"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare; returns the exit status.

    Raises:
        BadInput: there is no such corpus.
        LabError: the lab could not be brought up.
    """
    side = SIDES[options.of]
    inputs = side.inputs(chosen_inputs(options))
    found = compare_in_lab(inputs, side, options.kernel)
    tell_disagreements(found)
    counts = Counter(one.kind for one in found)
    print(f"{len(inputs)} headers, {len(inputs) - len(found)} of them kept back")
    for decoded in side.kinds:
        print(f"{counts[decoded]:6} {decoded.value}")
    print(f"{counts[None]:6} disagreements")
    return 1 if counts[None] else 0


def compare_in_lab(
    inputs: Sequence[bytes], side: KernelSide, kernel: str = ""
) -> list[HeaderComparison]:
    """Send headers to a kernel in the lab; what both say of each that was sent.

    Args:
        inputs: of Version One.
        side: to whom.
        kernel: release or image; empty: the newest.

    Raises:
        LabError: the lab could not be brought up, its command failed, or its kernel did.
    """
    with TemporaryDirectory(prefix="rpcrdma-kernel-decoder-") as place:
        folder = Path(place)
        in_guest.write_messages(folder / in_guest.INPUTS, inputs)
        words = (in_guest.__name__, side.profile, place)
        lab = module_run(words, find_profile(side.profile), kernel, _DEADLINE_S, (folder,))
        lab = replace(lab, setup=replace(lab.setup, trace=side.events), job=folder / "job")
        step = f"sending headers to {side.profile}"
        said: list[str] = []
        result = run_in_lab(lab, said.append)
        if result.ending is not Ending.EXITED or result.status:
            last = f": {said[-1]}" if said else ""
            raise LabError(step, result.describe() + last)
        for fault in result.faults:
            if fault.severity in (Severity.OOPS, Severity.PANIC):
                raise LabError(step, f"the kernel's log says: {fault.text}")
        trace = (folder / "job" / "trace.txt").read_text("utf-8", "replace").splitlines()
        return side.compare(in_guest.read_messages(folder / in_guest.SENT), trace)
