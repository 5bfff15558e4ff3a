"""A mutant in a process of its own, over verbs.

    python -m targets.mutants.process server NAME --listen ADDRESS:PORT [--versions 1 2]
    python -m targets.mutants.process client NAME [--versions 1 2] [--forward-only]

is `targets.reference.server_process` or `targets.reference.client_process` with one part replaced.
"""

from __future__ import annotations

import sys

from targets.mutants.base import find_client_parts, find_responder_parts

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Be a mutant.

    Args:
        arguments: the role, the mutant's name, then those of the role's process.

    Raises:
        TargetError: there is no such mutant in this role.
    """
    role, name, *others = arguments
    # Each end alone: in a machine without KVM importing the other one takes many seconds.
    if role == "server":
        from targets.reference import server_process

        return server_process.main(others, find_responder_parts(name))
    from targets.reference import client_process

    return client_process.main(others, find_client_parts(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
