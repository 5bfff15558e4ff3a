"""Only lines with the authors' mark are taken from a specification text."""

# ruff: noqa: ANN201

from __future__ import annotations

from rpcrdma.xdr.extract import extract


def test_marked_lines_lose_their_mark_and_keep_their_indent():
    text = "Prose.\n   /// struct s {\n   ///   int a;\n   ///\n   /// };\n\nRFC 1 footer\n"

    assert extract(text) == "struct s {\n  int a;\n\n};\n"


def test_mark_inside_a_line_is_prose():
    assert extract("lines with /// are marked\n////not this\n") == ""


def test_blank_behind_the_mark_may_be_missing():
    text = "   ////*\n   /// * Head\n   /// */\n   ///typedef int a;\n   ///\n"

    assert extract(text) == "/*\n* Head\n*/\ntypedef int a;\n\n"
