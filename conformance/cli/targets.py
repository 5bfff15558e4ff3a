"""`rpcrdma targets`: what can be certified by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from targets.leaks.base import PREFIX as LEAK
from targets.leaks.base import leaks
from targets.mutants.base import PREFIX as MUTANT
from targets.mutants.base import mutants
from targets.profile import shipped_profiles
from targets.registry import GROUP, find_profile
from targets.variants.base import PREFIX as VARIANT
from targets.variants.base import variants

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `targets` to the command line."""
    parser = subparsers.add_parser(
        "targets",
        help="list the targets",
        description=(
            "List what `rpcrdma certify` knows by name: shipped profiles, mutants of the reference"
            " endpoint with the requirement that each breaks, variants of it with what lets them"
            " choose otherwise, leaks that only notes tell of, and installed adapters."
        ),
        epilog="example: rpcrdma targets",
    )
    parser.set_defaults(run=run)


def run(_arguments: argparse.Namespace) -> int:
    """Print them."""
    print("profiles (or name a .toml file of your own):")
    for name in shipped_profiles():
        print(f"  {name:24} {find_profile(name).description}")
    print("\nmutants of the reference endpoint:")
    for mutant in mutants():
        print(f"  {MUTANT}{mutant.slug}")
        print(f"      {mutant.deviation}")
        print(f"      breaks {mutant.breaks}")
    print("\nvariants of the reference endpoint, which break nothing:")
    for variant in variants():
        print(f"  {VARIANT}{variant.slug}")
        print(f"      {variant.choice}")
        print(f"      allowed by {variant.allowed_by}")
    print("\nleaks of the reference endpoint, which break nothing and are told in notes:")
    for leak in leaks():
        print(f"  {LEAK}{leak.slug}")
        print(f"      {leak.waste}")
    print("\nadapters that a profile may name:")
    print(f"  {'network':24} any server at an address and port")
    print(f"  {'command':24} any client that commands bring to act")
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        print(f"  {entry.name:24} {entry.value}")
    return 0
