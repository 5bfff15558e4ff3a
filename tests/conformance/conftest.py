from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.tester.client.harness import Harness
from targets.registry import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from conformance.tester.client.peer import Peer


@pytest.fixture
def harness() -> Iterator[Harness]:
    """The reference endpoint, a case begun."""
    running = Harness(find_target("reference"))
    running.begin()
    yield running
    running.close()


@pytest.fixture
def peer(harness: Harness) -> Peer:
    """A connection to the reference endpoint on which nothing has been sent."""
    return harness.connect()


@pytest.fixture(scope="session")
def mini() -> ModuleType:
    """The miniatures; tests are no package from which they could be imported."""
    path = Path(__file__).with_name("miniatures.py")
    spec = importlib.util.spec_from_file_location("conformance_miniatures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
