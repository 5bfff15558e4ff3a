"""Lines over the round-trip time, and over the distance that it belongs to, as an SVG drawing."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roundtrip_rows import SECONDS_A_MILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Line", "draw"]

NAMESPACE: Final = "http://www.w3.org/2000/svg"
FONT: Final = 'font-family="sans-serif" font-size="12"'

WIDTH, HEIGHT = 900, 520
LEFT, RIGHT, TOP, BOTTOM = 70, 310, 70, 60
"""Margins; the names of the lines stand in the right one."""

COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#882255",
    "#999933",
)  # fmt: skip
"""Told apart by those who see no red or no green, too (Okabe and Ito; the last two by Tol)."""

PERIOD: Final = 45
"""From the begin of a dash to that of the next, which is how long a line is beside its name."""

TICKS: Final = 8
"""Marks on an axis, at most."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its name; points are round-trip time and elapsed time, in milliseconds."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values, up to `most`, to positions in the drawing."""

    most: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        return self.begin + (self.end - self.begin) * value / self.most


def draw(lines: Sequence[Line], slopes: Sequence[int]) -> str:
    """The drawing.

    Args:
        lines: the later one is drawn, the shorter its dashes, so that of those that overlap each
            can be seen.
        slopes: round trips; for each, a thin line shows what so many take.
    """
    points = [point for line in lines for point in line.points]
    x = _Scale(1.05 * max(point[0] for point in points), LEFT, WIDTH - RIGHT)
    y = _Scale(1.05 * max(point[1] for point in points), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_axes(x, y),
        *(part for slope in slopes for part in _slope(x, y, slope)),
        *(part for number, line in enumerate(lines) for part in _line(x, y, lines, number, line)),
        "</svg>",
    ]
    return "\n".join((*parts, ""))


def _axes(x: _Scale, y: _Scale) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    middle = (LEFT + right) / 2
    for value in _ticks(x.most):
        yield _stroke(x.at(value), bottom, x.at(value), TOP)
        yield _text(x.at(value), bottom + 18, f"{value:g}")
    for value in _ticks(y.most):
        yield _stroke(LEFT, y.at(value), right, y.at(value))
        yield _text(LEFT - 8, y.at(value) + 4, f"{value:g}", anchor="end")
    miles = _Scale(x.most / 1000 / SECONDS_A_MILE, x.begin, x.end)
    for value in _ticks(miles.most):
        yield _stroke(miles.at(value), TOP, miles.at(value), TOP - 6, "black")
        yield _text(miles.at(value), TOP - 10, f"{value:g}")
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}V{TOP}Z" fill="none" stroke="black"/>'
    yield _text(middle, HEIGHT - 18, "round-trip time, milliseconds")
    yield _text(middle, TOP - 34, f"distance, miles ({SECONDS_A_MILE * 1e6:g} microseconds each)")
    yield _text(20, (TOP + bottom) / 2, "until the reply, milliseconds", turned=True)


def _slope(x: _Scale, y: _Scale, slope: int) -> Iterator[str]:
    end = min(x.most, y.most / slope)
    yield _stroke(x.at(0), y.at(0), x.at(end), y.at(end * slope), "gray", 'stroke-dasharray="2 4"')
    name = f"{slope} round trip{'s' if slope > 1 else ''}"
    place = 0.6 * end  # where there is room under the lines
    yield _text(x.at(place) + 12, y.at(place * slope) + 16, name, anchor="start")


def _line(x: _Scale, y: _Scale, lines: Sequence[Line], number: int, line: Line) -> Iterator[str]:
    colour = COLOURS[number % len(COLOURS)]
    dash = PERIOD * (len(lines) - number) / len(lines)
    style = f'stroke-width="3" stroke-dasharray="{dash:.1f} {PERIOD - dash:.1f}"'
    points = " ".join(f"{x.at(one):.1f},{y.at(other):.1f}" for one, other in line.points)
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" {style}/>'
    for one, other in line.points:
        yield f'<circle cx="{x.at(one):.1f}" cy="{y.at(other):.1f}" r="3.5" fill="{colour}"/>'
    left, top = WIDTH - RIGHT + 20, TOP + 12 + 24 * number
    yield _stroke(left, top, left + PERIOD, top, colour, style)
    yield _text(left + PERIOD + 8, top + 4, line.name, anchor="start")


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 up to `most`."""
    least = most / TICKS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least)
    return [number * step for number in range(int(most / step) + 1)]


def _stroke(
    x: float, y: float, to_x: float, to_y: float, colour: str = "#dddddd", more: str = ""
) -> str:
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} stroke="{colour}" {more}/>'


def _text(x: float, y: float, text: str, *, anchor: str = "middle", turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}'
    return f"<text {place}>{html.escape(text)}</text>"
