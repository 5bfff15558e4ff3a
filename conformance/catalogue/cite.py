"""The decorator under which a scenario cites what it tests.

@requirement("rfc8166.4.5.1.err-vers-range", role="responder")
def test_...(peer: Peer) -> None:
    ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["requirement"]

F = TypeVar("F", bound="Callable[..., None]")


def requirement(
    *ids: str,
    role: str = "responder",
    needs: tuple[str, ...] = (),
    interpretations: tuple[str, ...] = (),
    wider: str = "",
    narrower: str = "",
    means: Mapping[str, str | tuple[str, ...]] | None = None,
) -> Callable[[F], F]:
    """Cite requirements of the catalogue; an unknown id stops the run before it begins.

    Args:
        ids: what the case tests; the first is its main one.
        role: which role of the device it tests.
        needs: names of claims, or of optional operations, without which the case is N/A:
            `backward`, `xmtreq`.
        interpretations: entries of INTERPRETATIONS.md on which the verdict rests.
        wider: why the case accepts more than the oracle allows: what it knows and the oracle does
            not, in one sentence.
        narrower: why it accepts less.
        means: rules that every message is judged by -> what is broken, too, of what is cited,
            if one of them is broken in the situation of this case: a second Call in flight is one
            beyond the grant; where the only thing that could have granted it is a request of the
            other direction, the two have not been kept apart.
    """
    mark = pytest.mark.requirement(
        *ids,
        role=role,
        needs=needs,
        interpretations=interpretations,
        wider=wider,
        narrower=narrower,
        means=means or {},
    )

    def decorate(function: F) -> F:
        mark(function)
        return function

    return decorate
