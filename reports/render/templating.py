"""Templates of pages: the one place that knows jinja."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from reports.summary import counted

__all__ = ["templates_of"]


@cache
def templates_of(package: str) -> Environment:
    """The templates in a package's folder `templates`.

    What they show is text, never markup, and a name that nobody has given them is an error.  All of
    them may call `counted`.
    """
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["counted"] = counted
    return environment
