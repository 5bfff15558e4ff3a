from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from reports.record import FORMAT_VERSION
from reports.render.json import IDENTITY, json_document
from reports.render.schema import SCHEMA_FILE, report_schema, schema_text

if TYPE_CHECKING:
    from reports.baseline import BaselineCheck
    from reports.record import RunRecord

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def fits(value: object, schema: dict[str, Any]) -> bool:
    return not faults(value, schema, "$")


def faults(value: object, schema: dict[str, Any], path: str) -> list[str]:
    """Where a value is not as JSON Schema says, of which this knows what msgspec writes."""
    definitions = report_schema()["$defs"]
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if alternatives := schema.get("anyOf"):
        return (
            [] if any(fits(value, one) for one in alternatives) else [f"{path}: none of {schema}"]
        )
    found: list[str] = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if (kind := schema.get("type")) and not isinstance(value, TYPES[kind]):
        return [f"{path}: {value!r} is no {kind}"]
    if isinstance(value, dict):
        found += [f"{path}: no {name}" for name in schema.get("required", ()) if name not in value]
        for name, member in value.items():
            known = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            found += faults(member, known, f"{path}.{name}") if known else [f"{path}.{name}: new"]
    if isinstance(value, list):
        inner = schema.get("prefixItems") or [schema["items"]] * len(value)
        for number, (member, known) in enumerate(zip(value, inner, strict=True)):
            found += faults(member, known, f"{path}[{number}]")
    return found


def test_schema_in_the_repository_is_that_of_the_records() -> None:
    assert SCHEMA_FILE.read_text() == schema_text(), (
        f"records have changed: `rpcrdma export --schema > reports/schema/{SCHEMA_FILE.name}`;"
        " raise FORMAT_VERSION if a member went or means something else now"
    )


def test_schema_names_itself_by_the_version_of_the_records() -> None:
    assert SCHEMA_FILE.name == f"report-{FORMAT_VERSION}.json"
    assert report_schema()["$id"] == f"urn:rpcrdma-conformance:report:{FORMAT_VERSION}"
    assert report_schema()["$schema"].startswith("https://json-schema.org/")


def test_every_member_is_described() -> None:
    """But for the tags, by which a reader of the records tells their lines apart."""
    bare = [
        f"{part}.{name}"
        for part, definition in report_schema()["$defs"].items()
        for name, member in definition.get("properties", {}).items()
        if "description" not in member and name not in ("type", "format")
    ]
    assert bare == []


@pytest.mark.long
def test_a_report_is_as_the_schema_says(run: RunRecord, check: BaselineCheck) -> None:
    for document in (json_document(run), json_document(run, check)):
        report = json.loads(document)
        assert report["$schema"] == IDENTITY
        assert faults(report, report_schema(), "$") == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("member", "value"), [("exit_status", "0"), ("counts", {"PASS": "many"}), ("surplus", 1)]
)
def test_what_is_not_as_the_schema_says_is_seen(run: RunRecord, member: str, value: object) -> None:
    report = json.loads(json_document(run)) | {member: value}
    assert len(faults(report, report_schema(), "$")) == 1
