"""The reference for authors of cases: fixtures and the decorator, from their docstrings."""

from __future__ import annotations

import inspect
from typing import Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.suite.fixtures import Fixtures

__all__ = ["fixtures_page"]

_HEAD: Final = """\
# Plugin: what a case is given

A case is a pytest function ([Writing scenarios](../scenarios.md)). The suite's plugin collects it,
gives it the fixtures that its parameters name, and records a verdict; `rpcrdma certify` starts it.
Made of the code when the site is built.

## Fixtures

| parameter | what it is |
|---|---|
"""


def fixtures_page() -> str:
    """The fixtures that cases may have, and what cites a requirement."""
    rows = []
    for name, function in inspect.getmembers(Fixtures):
        if isinstance(function, pytest.FixtureDef) or hasattr(function, "_fixture_function"):
            said = inspect.getdoc(function._fixture_function) or ""  # noqa: SLF001
            rows.append(f"| `{name}` | {' '.join(said.split())} |")
    signature = inspect.signature(requirement)
    plain = [
        one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()
    ]
    signature = inspect.Signature(plain)
    said = inspect.getdoc(requirement) or ""
    return (
        _HEAD
        + "\n".join(rows)
        + f"\n\n## @requirement\n\n```text\n@requirement{signature}\n\n{said}\n```\n"
    )
