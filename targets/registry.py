"""Targets by name: a shipped profile, a path to one, `mutant:`, `variant:` or `leak:` and a slug.

A profile names its adapter; adapters are `network`, `command`, and whatever entry points of the
group `rpcrdma_conformance.targets` there are (`reference` is one).  A target is a server, a client
(`targets.base.ClientTarget`) or both.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Final

from targets.base import Target, TargetError, nearest
from targets.network import NetworkTarget
from targets.profile import SHIPPED, ProfileError, load_profile, shipped_profiles
from targets.upper_tester.client import CommandClientTarget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from targets.base import ClientTarget, TargetFactory
    from targets.profile import Profile

__all__ = ["BUILT_IN", "GROUP", "find_any_target", "find_profile", "find_target", "require_server"]

GROUP: Final = "rpcrdma_conformance.targets"
"""Entry points of this group are `TargetFactory`s."""

_MUTANT: Final = "mutant:"
_VARIANT: Final = "variant:"
_LEAK: Final = "leak:"

BUILT_IN: Final[Mapping[str, TargetFactory]] = {
    "network": NetworkTarget,
    "command": CommandClientTarget,
}
"""Adapters that need no entry point."""


def find_profile(name: str) -> Profile:
    """The profile that a name stands for.

    Raises:
        TargetError: there is none, or it cannot be used.
    """
    if name.startswith(_MUTANT):
        # Imported only when asked for: mutants import the whole endpoint.
        from targets.mutants.base import find_mutant

        name = find_mutant(name).profile_name
    elif name.startswith(_VARIANT):
        from targets.variants.base import find_variant

        name = find_variant(name).profile_name
    elif name.startswith(_LEAK):
        from targets.leaks.base import find_leak

        name = find_leak(name).profile_name
    path = Path(name) if name.endswith(".toml") else SHIPPED / f"{name}.toml"
    if not name.endswith(".toml") and not path.exists():
        shipped = shipped_profiles()
        known = ", ".join((*shipped, "mutant:<slug>", "variant:<slug>", "leak:<slug>"))
        near = nearest(name, shipped)
        raise TargetError(f"no target `{name}`; there are {known}, or name a profile (.toml){near}")
    try:
        return load_profile(path)
    except ProfileError as error:
        raise TargetError(str(error)) from error


def find_target(name: str, fabric: str = "") -> Target:
    """The server that a name stands for.

    Raises:
        TargetError: there is none, it is a client, or it does not run on that fabric.
    """
    return require_server(find_any_target(name, fabric))


def require_server(target: Target | ClientTarget) -> Target:
    """The target, if it is a server.

    Raises:
        TargetError: it is a client alone.
    """
    if not isinstance(target, Target):
        raise TargetError(f"target `{target.name}` is a client, which calls and is not called")
    return target


def find_any_target(name: str, fabric: str = "") -> Target | ClientTarget:
    """The server or client that a name stands for.

    Raises:
        TargetError: there is none, or it does not run on that fabric.
    """
    profile = find_profile(name)
    if name.startswith(_MUTANT):
        from targets.mutants.base import mutant_target

        return mutant_target(name, profile, fabric)
    if name.startswith(_VARIANT):
        from targets.variants.base import variant_target

        return variant_target(name, profile, fabric)
    if name.startswith(_LEAK):
        from targets.leaks.base import leak_target

        return leak_target(name, profile, fabric)
    return _factory(profile)(profile, fabric)


def _factory(profile: Profile) -> TargetFactory:
    if profile.adapter in BUILT_IN:
        return BUILT_IN[profile.adapter]
    for entry in entry_points(group=GROUP):
        if entry.name == profile.adapter:
            loaded: TargetFactory = entry.load()
            return loaded
    raise TargetError(
        f"profile `{profile.name}` wants the adapter `{profile.adapter}`, which is not installed"
    )
