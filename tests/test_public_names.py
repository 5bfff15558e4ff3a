"""The public names of the library's packages, and what importing them must not do."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PACKAGES = ("rpcrdma.endpoint", "rpcrdma.fabric", "rpcrdma.ulp", "rpcrdma.wire")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_a_package_lists_is_there(package: str) -> None:
    """And it is listed once."""
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_can_be_imported_first_and_without_a_device(package: str) -> None:
    """Whichever comes first, there is no import cycle, and pyverbs is left alone."""
    check = f"import sys, {package}; sys.exit('pyverbs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
