"""A variant in a process of its own, over RoCEv2 or verbs.

    python -m targets.variants.process server NAME --listen ADDRESS:PORT [--versions 1 2]
    python -m targets.variants.process client NAME [--versions 1 2] [--forward-only]

is `targets.reference.server_process` or `targets.reference.client_process` with other parts.
"""

from __future__ import annotations

import sys

from targets.reference.replaced_process import be
from targets.variants.base import find_variant

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Be a variant.

    Args:
        arguments: the role, the variant's name, then those of the role's process.

    Raises:
        TargetError: there is no such variant in this role.
    """
    return be(arguments, lambda name: find_variant(name).parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
