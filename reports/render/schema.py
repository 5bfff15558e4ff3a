"""The JSON Schema of `report.json`, made from the records that it is written from.

`reports/schema` has it for those who read the repository; `rpcrdma export --schema` prints it, and
makes that file again.  Its version is that of the records: a reader that knows `format` 2 may
ignore members that it does not know, and need expect no other change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from reports import record
from reports.described import attributes_of, meaning_of
from reports.record import FORMAT_VERSION
from reports.render import json
from reports.render.json import IDENTITY, JsonReport

__all__ = ["SCHEMA_FILE", "report_schema", "schema_text"]

SCHEMA_FILE: Final = Path(__file__).parents[1] / "schema" / f"report-{FORMAT_VERSION}.json"
"""Where it is checked in."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> dict[str, Any]:
    """The schema, as plain data."""
    schema = msgspec.json.schema(JsonReport)
    definitions: dict[str, Any] = schema["$defs"]
    for name, definition in definitions.items():
        part = getattr(record, name, None) or getattr(json, name)
        definition["description"] = meaning_of(part)
        for field, meaning in attributes_of(part).items():
            encoded = part.__struct_encode_fields__[part.__struct_fields__.index(field)]
            definition["properties"][encoded]["description"] = meaning
    return {"$schema": _DIALECT, "$id": IDENTITY, "title": "rpcrdma report", **schema}


def schema_text() -> str:
    """The schema as the file has it."""
    return msgspec.json.format(msgspec.json.encode(report_schema()), indent=2).decode() + "\n"
