"""A leak in a process of its own, over RoCEv2 or verbs.

    python -m targets.leaks.process server NAME --listen ADDRESS:PORT [--versions 1 2]
    python -m targets.leaks.process client NAME [--versions 1 2]

is `targets.reference.server_process` or `client_process` with one part replaced.
"""

from __future__ import annotations

import sys

from targets.leaks.base import find_leak
from targets.reference.replaced_process import be

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Be a leak.

    Args:
        arguments: the role, the leak's name, then those of the role's process.

    Raises:
        TargetError: there is no such leak in this role.
    """
    return be(arguments, lambda name: find_leak(name).parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
