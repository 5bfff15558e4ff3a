"""A message as `rpcrdma decode` prints it: as text, or as data for another program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpcrdma.wire import describe

if TYPE_CHECKING:
    from rpcrdma.errors import DecodeError
    from rpcrdma.xdr.tree import Node

__all__ = ["as_data", "as_text"]


def as_text(octets: bytes) -> str:
    """Its gist, and every field with its offset; where decoding stops, and why."""
    return f"{describe.one_line(octets)}\n{describe.indented(octets)}"


def as_data(octets: bytes) -> dict[str, Any]:
    """The same for JSON.

    Returns:
        `summary`, `length` and `octets` (hexadecimal); `fields` of transport and RPC header, each
        with `offset`, `path`, `value` and, where the value has a name, `name`; `error`, null or
        what stops the decoding: `offset`, `path`, `reason`, `detail`.
    """
    trees = tuple(describe.trees(octets))
    errors = [tree.error for tree in trees if tree.error is not None]
    return {
        "summary": describe.one_line(octets),
        "length": len(octets),
        "octets": octets.hex(),
        "fields": [_field(node) for tree in trees for node in tree.leaves()],
        "error": _error(errors[0]) if errors else None,
    }


def _field(node: Node) -> dict[str, Any]:
    value = node.value.hex() if isinstance(node.value, bytes) else node.value
    found = {"offset": node.offset, "path": node.path, "value": value}
    return found | ({"name": node.label} if node.label else {})


def _error(error: DecodeError) -> dict[str, Any]:
    return {
        "offset": error.offset,
        "path": error.path,
        "reason": error.reason.value,
        "detail": error.detail,
    }
