from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.reports.pages.known import known

if TYPE_CHECKING:
    from reports.pages.background import Background


@pytest.fixture
def background() -> Background:
    return known()
