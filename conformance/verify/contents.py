"""What octets are where they belong: in a client's application, in memory.

verify.contents.given(result, pattern(8192)[4096:], BREAKS)
verify.contents.same(region.read(), pattern(500), "the memory of the Write chunk")
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from conformance.tester.case import Deviation
from conformance.tester.data import differing

if TYPE_CHECKING:
    from targets.base import ActResult

__all__ = ["given", "same"]


def given(result: ActResult, content: bytes, breaks: tuple[str, ...]) -> None:
    """An act gave the application what the tester has.

    An adapter that cannot tell what an act gave has nothing more to say than that it is done.

    Args:
        result: of the act, which is done.
        content: what it must have given.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it gave something else.
    """
    if not result.digest or result.digest == hashlib.sha256(content).hexdigest():
        return
    where = "other octets"
    if result.data is not None:
        where = differing(result.data, content)
    raise Deviation(
        "The client's application got something else than the tester has.",
        expected=(f"{len(content)} octets, as they were served or stored",),
        actual=where,
        breaks=breaks,
    )


def same(found: bytes, wanted: bytes, what: str) -> None:
    """Octets are those that must be there.

    Args:
        found: in some place.
        wanted: there.
        what: the place.

    Raises:
        Deviation: they are others.
    """
    if problem := differing(found, wanted):
        raise Deviation(
            f"{what} holds other octets: {problem}.",
            expected=(f"{what} holds the {len(wanted)} octets that are due there",),
            actual=problem,
        )
