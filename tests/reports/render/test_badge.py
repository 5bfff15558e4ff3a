from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec

from reports.record import RunFooter
from reports.render.badge import badge_json, badge_svg

if TYPE_CHECKING:
    from reports.record import RunRecord

SVG = "{http://www.w3.org/2000/svg}"


def failed(run: RunRecord) -> RunRecord:
    header = msgspec.structs.replace(run.header, planned=())
    return msgspec.structs.replace(run, header=header, footer=RunFooter(len(run.cases), 1))


def test_badge_is_what_shields_takes(run: RunRecord) -> None:
    assert json.loads(badge_json(failed(run))) == {
        "schemaVersion": 1,
        "label": "RPC-over-RDMA",
        "message": "2 of 4 failed",
        "color": "red",
        "isError": True,
    }
    assert json.loads(badge_json(run))["color"] == "orange"


def test_picture_says_the_same_in_text_and_title(run: RunRecord) -> None:
    picture = ElementTree.fromstring(badge_svg(failed(run)))
    words = [word.text for word in picture.iter(f"{SVG}text")]

    assert words == ["RPC-over-RDMA", "2 of 4 failed"]
    assert picture.findtext(f"{SVG}title") == "RPC-over-RDMA: 2 of 4 failed"
    label, message = picture.findall(f"{SVG}rect")
    assert int(label.attrib["width"]) + int(message.attrib["width"]) == int(picture.attrib["width"])
    assert label.attrib["fill"] != message.attrib["fill"]
