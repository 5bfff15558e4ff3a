"""The four words that every message starts with, as the suite's modules know them.

They belong to the wire format of all versions and are read by `rpcrdma.wire.versions`.
"""

from __future__ import annotations

from rpcrdma.wire.versions import FIXED_WORDS, FixedWords, fixed_words

__all__ = ["FIXED_WORDS", "FixedWords", "fixed_words"]
