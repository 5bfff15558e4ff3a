"""The decorator under which a scenario cites what it tests.

@requirement("rfc8166.4.5.1.err-vers-range", role="responder")
def test_...(peer: Peer) -> None:
    ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["requirement"]

F = TypeVar("F", bound="Callable[..., None]")


def requirement(
    *ids: str,
    role: str = "responder",
    needs: tuple[str, ...] = (),
    interpretations: tuple[str, ...] = (),
    wider: str = "",
    narrower: str = "",
) -> Callable[[F], F]:
    """Cite requirements of the catalogue; an unknown id stops the run before it begins.

    Args:
        ids: what the case tests; the first is its main one.
        role: which role of the device it tests.
        needs: names of claims without which the case is N/A, `backward`.
        interpretations: entries of INTERPRETATIONS.md on which the verdict rests.
        wider: why the case accepts more than the oracle allows: what it knows and the oracle does
            not, in one sentence.
        narrower: why it accepts less.
    """
    mark = pytest.mark.requirement(
        *ids,
        role=role,
        needs=needs,
        interpretations=interpretations,
        wider=wider,
        narrower=narrower,
    )

    def decorate(function: F) -> F:
        mark(function)
        return function

    return decorate
