"""An end of the reference with one of its parts replaced, in a process of its own.

`targets.mutants.process`, `targets.variants.process` and `targets.leaks.process` are run, and know
where the parts are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.base import TargetError
from targets.reference.client_parts import ClientParts

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.reference.server_parts import Parts

__all__ = ["be"]


def be(arguments: list[str], find: Callable[[str], Parts | ClientParts]) -> int:
    """Be the end until standard input ends; returns what the process ends with.

    Args:
        arguments: the role, the name, then those of the role's process.
        find: the parts of which the end of that name is made.

    Raises:
        TargetError: there is none of this name in this role.
    """
    role, name, *others = arguments
    parts = find(name)
    if (role == "client") is not isinstance(parts, ClientParts):
        raise TargetError(f"`{name}` is no {role}")
    # Each end alone: in a machine without KVM importing the other one takes many seconds.
    if isinstance(parts, ClientParts):
        from targets.reference import client_process

        return client_process.main(others, parts)
    from targets.reference import server_process

    return server_process.main(others, parts)
