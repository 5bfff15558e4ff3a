"""A mutant in a process of its own, over RoCEv2 or verbs.

    python -m targets.mutants.process server NAME --listen ADDRESS:PORT [--versions 1 2]
    python -m targets.mutants.process client NAME [--versions 1 2] [--forward-only]

is `targets.reference.server_process` or `targets.reference.client_process` with one part replaced.
"""

from __future__ import annotations

import sys

from targets.mutants.base import find_mutant
from targets.reference.replaced_process import be

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Be a mutant.

    Args:
        arguments: the role, the mutant's name, then those of the role's process.

    Raises:
        TargetError: there is no such mutant in this role.
    """
    return be(arguments, lambda name: find_mutant(name).parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
