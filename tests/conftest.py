"""Settings for all tests of the project.

Property tests are derandomised, so that a run of CI says the same twice; `HYPOTHESIS_PROFILE=night`
explores with a fresh seed, which hypothesis prints when something fails.  `HYPOTHESIS_EXAMPLES` is
how many examples a test has then: a night has fewer of each, so that it comes to more tests.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

# No deadline for an example: how long one takes is a benchmark's business, not a test's.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile(
    "night",
    deadline=None,
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "5000")),
    print_blob=True,
)

LANES = {"lab": "boots machines", "browser": "opens Chromium"}
"""Folders of tests that need more than Python -> what they do with it."""

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, more in LANES.items():
        parser.addoption(f"--{name}", action="store_true", help=f"collect tests/{name} too: {more}")
    parser.addoption(
        "--shuffle",
        type=int,
        metavar="SEED",
        help="another order, for a run that is ended when its time is over",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests into the order that `--shuffle` draws."""
    seed: int | None = config.getoption("--shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks: that of scenarios, and that of tests for `tox -e long`."""
    config.addinivalue_line("markers", "requirement(*ids): what a scenario cites")
    config.addinivalue_line(
        "markers", "long: takes many seconds, or is one of a thousand of its kind"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a lane's folder out unless it is asked for; None lets others decide."""
    for name in LANES:
        folder = Path(__file__).parent / name
        if folder in (collection_path, *collection_path.parents) and not config.getoption(name):
            return True
    return None
