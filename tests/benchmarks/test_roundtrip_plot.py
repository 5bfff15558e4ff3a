"""The drawing, read as what it is: XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from roundtrip_plot import NAMESPACE, PERIOD, Line, draw

ONE = Line("READ & <more>", ((0, 0), (10, 10), (40, 40)))
TWO = Line("WRITE", ((0, 0), (10, 20), (40, 80)))


@pytest.fixture
def drawing() -> ET.Element:
    return ET.fromstring(draw((ONE, TWO), (1, 2)))


def texts(drawing: ET.Element) -> list[str]:
    return [element.text or "" for element in drawing.iter(f"{{{NAMESPACE}}}text")]


def lines(drawing: ET.Element) -> list[list[tuple[float, ...]]]:
    """The points of each line."""
    found = drawing.iter(f"{{{NAMESPACE}}}polyline")
    return [
        [tuple(map(float, point.split(","))) for point in element.attrib["points"].split()]
        for element in found
    ]


def test_lines_have_their_names(drawing: ET.Element) -> None:
    assert {"READ & <more>", "WRITE", "1 round trip", "2 round trips"} <= set(texts(drawing))


def test_points_are_where_their_values_are(drawing: ET.Element) -> None:
    """Of twice the value, at twice the distance from the point of none; upward is more."""
    one, two = lines(drawing)
    assert one[0] == two[0]
    assert [point[0] for point in one] == [point[0] for point in two]
    for low, high in zip(one[1:], two[1:], strict=True):
        assert one[0][1] - high[1] == pytest.approx(2 * (one[0][1] - low[1]), abs=0.2)
    across, upward = one[2][0] - one[0][0], one[1][0] - one[0][0]
    assert across == pytest.approx(4 * upward, abs=0.2)


def test_the_second_axis_has_the_distance_that_a_round_trip_takes(drawing: ET.Element) -> None:
    """42 ms, which is where the axis ends, at 16 microseconds a mile: 2625 miles."""
    found = texts(drawing)
    assert "distance, miles (16 microseconds each)" in found
    assert {"500", "1000", "1500", "2000", "2500"} <= set(found)
    assert "3000" not in found


def test_lines_that_overlap_can_all_be_seen() -> None:
    drawing = ET.fromstring(draw((ONE, ONE, ONE), (1,)))
    dashes = [
        tuple(map(float, element.attrib["stroke-dasharray"].split()))
        for element in drawing.iter(f"{{{NAMESPACE}}}polyline")
    ]
    assert dashes == [(PERIOD, 0), (PERIOD / 3 * 2, PERIOD / 3), (PERIOD / 3, PERIOD / 3 * 2)]
