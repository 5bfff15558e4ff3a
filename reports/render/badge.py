"""A badge that says how a run stands: an SVG of our own, and JSON for shields.io.

shields.io   "Endpoint badge": an object with `schemaVersion`, `label`, `message` and `color`
SVG 1.1      section 10.5, `textLength`: the text has this width, whatever font is there
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from reports.render.oneline import RunState, standing

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

__all__ = ["badge_json", "badge_svg"]

_LABEL: Final = "RPC-over-RDMA"

_COLOURS: Final = {
    RunState.GOOD: ("brightgreen", "#3a7d1e"),
    RunState.FAILED: ("red", "#b3261e"),
    RunState.NOTHING_JUDGED: ("lightgrey", "#5f6368"),
    RunState.CUT_SHORT: ("orange", "#a15c00"),
}
"""By the name that shields.io has for it, and one on which white text can be read."""

_HEIGHT: Final = 20
_PER_LETTER: Final = 6.5
"""Pixels, of a common sans-serif of 11 pixels; `textLength` makes up for others."""
_MARGIN: Final = 6


def badge_json(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """What a badge at shields.io is made from, if the file can be fetched from somewhere."""
    words = standing(run, check)
    badge = {
        "schemaVersion": 1,
        "label": _LABEL,
        "message": words.text,
        "color": _COLOURS[words.state][0],
        "isError": words.state is not RunState.GOOD,
    }
    return json.dumps(badge, indent=2) + "\n"


def badge_svg(run: RunRecord, check: BaselineCheck | None = None) -> str:
    """The badge itself."""
    words = standing(run, check)
    left, right = _width(_LABEL), _width(words.text)
    said = escape(f"{_LABEL}: {words.text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}"'
        f' role="img" aria-label="{said}">\n'
        f"  <title>{said}</title>\n"
        f'  <rect width="{left}" height="{_HEIGHT}" fill="#3c4043"/>\n'
        f'  <rect x="{left}" width="{right}" height="{_HEIGHT}"'
        f' fill="{_COLOURS[words.state][1]}"/>\n'
        '  <g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">\n'
        f"    {_word(_LABEL, 0)}\n"
        f"    {_word(words.text, left)}\n"
        "  </g>\n"
        "</svg>\n"
    )


def _width(text: str) -> int:
    return round(len(text) * _PER_LETTER) + 2 * _MARGIN


def _word(text: str, start: int) -> str:
    length = _width(text) - 2 * _MARGIN
    return f'<text x="{start + _MARGIN}" y="14" textLength="{length}">{escape(text)}</text>'
