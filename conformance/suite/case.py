"""A collected scenario, and its id.

`conformance/scenarios/rfc8166/responder/test_4_5_1_title.py::test_does_this[x]` is the case
`rfc8166/4.5.1/does-this[x]`, whichever role's folder the file is in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.suite.fixtures import SuiteError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Case", "case_id", "refuse_duplicates"]

_FILE: Final = re.compile(r"test_(?P<section>(?:\d+|[A-Z])(?:_\d+)*)(?:_.*)?$")


@dataclass(frozen=True, slots=True)
class Case:
    """A collected scenario.

    Attributes:
        id: stable id.  title: first sentence of the docstring.  requirements: cited ids.
        role: of the device.  needs: claims, and optional operations, without which it is N/A.
        means: (rule, what is broken with it in this case) pairs.
        interpretations: as the decorator names them.  destructive: may bring a device down.
        wider: why it accepts more than the oracle allows.  narrower: why less.
        again: what selects it on a command line, where its id does not.
    """

    id: str
    title: str
    requirements: tuple[str, ...]
    role: str
    needs: tuple[str, ...]
    interpretations: tuple[str, ...]
    destructive: bool
    wider: str = ""
    narrower: str = ""
    means: tuple[tuple[str, tuple[str, ...]], ...] = ()
    again: str = ""

    def command(self, called: str) -> str:
        """What runs it again, against a target that is called so on a command line."""
        chosen = self.again or f"--case '{self.id}'"
        return f"rpcrdma certify {called} {chosen}" + " --destructive" * self.destructive


def case_id(path: Path, function: str, parameters: str = "") -> str:
    """The id of a scenario; `parameters` is what pytest puts in brackets.

    Raises:
        SuiteError: the file is not named after a section.
    """
    found = _FILE.match(path.stem)
    if found is None:
        raise SuiteError(f"{path.name}: name it test_<section>_<title>.py, with _ for each dot")
    section = found["section"].replace("_", ".")
    slug = function.removeprefix("test_").replace("_", "-")
    return f"{path.parent.parent.name}/{section}/{slug}" + (f"[{parameters}]" if parameters else "")


def refuse_duplicates(cases: Mapping[str, Case]) -> None:
    """See that each case can be selected by its id, and by that alone.

    Args:
        cases: what pytest calls it -> the case.

    Raises:
        SuiteError: an id exists twice, or selects another case as well.
    """
    seen: dict[str, str] = {}
    for nodeid, case in cases.items():
        if case.id in seen:
            raise SuiteError(f"case {case.id} exists twice: {seen[case.id]} and {nodeid}")
        seen[case.id] = nodeid
    for identity in seen:
        stem, bracket, _ = identity.partition("[")
        if bracket and stem in seen:
            raise SuiteError(f"case {stem} cannot be selected without {identity}; rename it")
