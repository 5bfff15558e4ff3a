"""What machine a guest is given, and for how long it may boot: `[lab]` of a profile, checked here.

A profile may come from another machine; what this one lacks is refused before anything boots.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError

if TYPE_CHECKING:
    from targets.profile import Lab

__all__ = ["USUAL", "Resources", "check_resources", "host_mebibytes", "resources_of"]

_STEP: Final = "giving the guest what [lab] says"
_LEAST_MEBIBYTES: Final = 256
"""Less than this Linux, its modules and one interpreter do not start in."""

_MEBIBYTES: Final = {"M": 1, "G": 1024}


@dataclass(frozen=True, slots=True)
class Resources:
    """What a guest is given.

    Attributes:
        mebibytes: of memory.
        processors: how many; 0 for what the guest's kind usually has.
        parameters: words for the kernel, beside the lab's own.
        shares: folders of this machine that it may write to.
        boot_s: seconds until it must have booted; 0 for what the accelerator usually takes.
    """

    mebibytes: int = 2048
    processors: int = 0
    parameters: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    boot_s: float = 0.0

    @property
    def memory(self) -> str:
        """As QEMU and virtme-ng take it."""
        return f"{self.mebibytes}M"


USUAL: Final = Resources()
"""What a guest is given of which nothing is said."""


def resources_of(lab: Lab | None) -> Resources:
    """What a profile gives its guest; the usual where it has no `[lab]`.

    Raises:
        LabError: this machine cannot give it.
    """
    if lab is None:
        return USUAL
    mebibytes = int(lab.memory[:-1]) * _MEBIBYTES[lab.memory[-1]]
    found = Resources(mebibytes, lab.processors, lab.parameters, lab.shares, lab.boot)
    check_resources(found)
    return found


def check_resources(wanted: Resources) -> None:
    """See that this machine can give it.

    Raises:
        LabError: the memory is too little or too much, or a folder cannot be shared.
    """
    if wanted.mebibytes < _LEAST_MEBIBYTES:
        cause = f"`memory` is {wanted.memory}, in which no guest boots"
        raise LabError(_STEP, cause, f"give at least {_LEAST_MEBIBYTES}M")
    if wanted.mebibytes > (most := host_mebibytes()):
        cause = f"`memory` is {wanted.memory}, and this machine has {most}M"
        raise LabError(_STEP, cause, "give less, or run on a larger machine")
    for folder in map(Path, wanted.shares):
        if not folder.is_dir():
            remedy = "make it, or mend the path"
            raise LabError(_STEP, f"`shares` has {folder}, and there is no such folder", remedy)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            remedy = "change its mode, or share another one"
            raise LabError(_STEP, f"`shares` has {folder}, which you may not write to", remedy)


def host_mebibytes() -> int:
    """Memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
