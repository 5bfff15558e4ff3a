"""What a client's application got of the files that the tester serves, octet by octet.

verify.contents.given(result, pattern(8192)[4096:], BREAKS)
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from conformance.tester.case import Deviation
from conformance.tester.data import differing

if TYPE_CHECKING:
    from targets.base import ActResult

__all__ = ["given"]


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
