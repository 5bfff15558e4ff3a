"""After each section: whether the device's files hold what they did, as a case that nobody wrote.

No case can see by itself that a call has damaged what it did not ask for.  So the plugin has the
rig look whenever a section ends; damage is a record of its own, which names the first case that it
can follow from.  There is none where all is well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.tester.case import Deviation

if TYPE_CHECKING:
    from conformance.suite.plugin import Case

__all__ = ["files_case", "files_id", "section_of", "since"]

_NAME: Final = "files-stay-whole"

_WHOLE: Final = "rfc8166.8.1.no-new-vulnerabilities"
"""What damage breaks."""


def section_of(identity: str) -> str:
    """The document and section of a case, `rfc8166/4.3.2`."""
    return identity.rpartition("/")[0]


def files_id(identity: str) -> str:
    """The id of the look at the files after the section of a case."""
    return f"{section_of(identity)}/{_NAME}"


def files_case(first: Case, last: Case) -> Case:
    """The look after the section of `last`, the first one since before `first`."""
    document, section = section_of(first.id).split("/")
    return replace(
        last,
        id=files_id(last.id),
        title="What no case writes holds after this section what it held before.",
        requirements=(_WHOLE,),
        interpretations=(),
        means=(),
        again=f"--document {document} --section {section}",
    )


def since(found: BaseException | None, first: Case) -> BaseException | None:
    """What a look has found, with the first case that it can follow from."""
    if isinstance(found, Deviation):
        found.reason += f" The first case that this can follow from is {first.id}."
    return found
