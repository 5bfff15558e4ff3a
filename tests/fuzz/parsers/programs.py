"""Programs in a parser's place."""

from __future__ import annotations

import sys


def python(text: str) -> tuple[str, ...]:
    """A command that runs this Python."""
    return (sys.executable, "-c", text)


def answering(expression: str) -> tuple[str, ...]:
    """A command that answers each line, `line`, by an expression."""
    return python(f"import sys, os, time\nfor line in sys.stdin: print({expression}, flush=True)")
