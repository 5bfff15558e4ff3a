"""One word, one meaning: a reader who greps for a class finds that one class.

Generated code is left out: its names are those of the XDR, and each file is one program's.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SHIPPED: Final = ("rpcrdma", "conformance", "targets", "reports", "fuzz")

SAME: Final = {
    "Disconnected": "the end of a connection, as an event and as what comes of a call",
    "ErrChunk": "the body of the XDR, and the answer that has it",
    "ErrVers": "the body of the XDR, and the answer that has it",
    "Field": "a field of the XDR, as its description and as a record shows it",
    "AnswersTwice": "one fault, as a mutant and as a bug planted for the fuzzers",
    "CountsCreditsDown": "one fault, as a mutant and as a bug planted for the fuzzers",
}
"""Names in two files for one and the same thing: which."""


def class_files() -> dict[str, list[str]]:
    """The files in which each public class stands."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in SHIPPED:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name.startswith("_generated"):
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_a_class_has_a_name_of_its_own() -> None:
    """Or one that it shares with the same thing elsewhere, which is said here."""
    shared = {name: files for name, files in class_files().items() if len(files) > 1}
    unexplained = {name: files for name, files in shared.items() if name not in SAME}
    assert not unexplained, unexplained


def test_what_is_the_same_is_still_there_twice() -> None:
    """An entry that nothing needs any more goes."""
    found = class_files()
    wire = (ROOT / "rpcrdma/wire/_generated_rfc8166.py").read_text(encoding="utf-8")
    for name in SAME:
        assert len(found[name]) + (f"class {name}(" in wire) == 2, name
