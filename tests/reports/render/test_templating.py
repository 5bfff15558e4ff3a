from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from reports.render.templating import templates_of

PACKAGE = "reports.render"


def test_what_is_shown_is_text() -> None:
    page = templates_of(PACKAGE).from_string("{{ counted(2, what) }}").render(what="<b>")
    assert page == "2 &lt;b&gt;s"


def test_a_name_that_nobody_gave_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="nobody"):
        templates_of(PACKAGE).from_string("{{ nobody }}").render()


def test_it_is_made_once_for_each_package() -> None:
    assert templates_of(PACKAGE) is templates_of(PACKAGE)
    assert templates_of(PACKAGE) is not templates_of("reports.pages")
