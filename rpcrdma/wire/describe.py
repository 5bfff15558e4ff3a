"""Any octets as text for a person: one line, or indented with offsets.

The octets are taken for an RPC-over-RDMA message: a transport header of the version that it names,
and where the procedure is RDMA_MSG, RDMA_MSGP or RDMA2_MSG the RPC message after it.  The contents
of RDMA2_OPTIONAL are shown as far as `rpcrdma.wire.overlays` knows them.  What cannot be decoded is
shown as far as it goes, with the octet, the field and the reason; nothing here ever raises.

A version that nobody knows is read as Version One: the four fixed words are the same in all
versions, and so is the error that names a range of versions (rfc8166 4.2).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.wire import _generated_rpc as rpc
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.overlays import DEFAULT_OF, overlaid
from rpcrdma.wire.v2 import VERSION as VERSION_TWO
from rpcrdma.wire.words import HEXADECIMAL, SHOWN_OCTETS, octets_in_words
from rpcrdma.xdr.runtime import word_at
from rpcrdma.xdr.tree import Kind, Node, Tree
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "capture_comment",
    "credits_of",
    "header_tree",
    "indented",
    "one_line",
    "rpc_tree",
    "trees",
    "value_of",
]

_REMEMBERED: Final = 1024
"""Messages whose text is kept: a capture and a record tell of the messages of a case in turn, and
to decode them takes longer than to judge them."""

_NOTHING: Final = {Kind.OPTIONAL: "absent", Kind.LIST: "empty", Kind.STRUCTURE: "empty"}
_TRUTH: Final = ("FALSE", "TRUE")
_PRESENCE: Final = {False: ("absent", "present"), True: ("the list ends", "an entry follows")}
"""What the discriminator of optional-data says, and that of an entry of a list."""
_REGISTERED: Final = {"flavor": rpc.AuthFlavor, "stat": rpc.AuthStatus}
"""Numbers of the RPC header that have names and are no enumeration there: anyone may add some."""
_SUBSETS: Final = frozenset({"opticonnpr_nochg", "optrespr_done", "optrespr_rej"})
_WITH_PAYLOAD: Final = frozenset({"RdmaMsg", "RdmaMsgp", "Rdma2Msg"})
_GROUP: Final = {
    "optxrq_count": "{} transmissions",
    "optxrs_count": "{} transmissions",
    "optxc_xnum": "transmission number {}",
    "optxrq_rsbuf": "{} for the response",
    "optxrq_pslen": "{} octets of payload here",
    "optxrs_pslen": "{} octets of payload here",
    "optxc_pslen": "{} octets of payload here",
    "optre_which": "{}",
}
"""What a group of transmissions, or an error about one, is told by (rtrext 9)."""
_LABELLED: Final = (
    "rdma_body.proc",
    "rdma_body.rdma_proc",
    "rdma_body.rdma_direction",
    "rdma_body.rdma_optdir",
)


@lru_cache(maxsize=2)
def header_tree(octets: bytes) -> Tree:
    """The transport header as a tree, as far as it can be decoded."""
    if _version(octets) == VERSION_TWO:
        return overlaid(build_tree(v2.SCHEMA, "Rdma2Header", octets))
    return build_tree(v1.SCHEMA, "TransportHeader", octets)


@lru_cache(maxsize=2)
def rpc_tree(octets: bytes, offset: int = 0) -> Tree:
    """The RPC message header at an offset as a tree, as far as it can be decoded."""
    return build_tree(rpc.SCHEMA, "RpcMessage", octets, offset)


def trees(octets: bytes) -> Iterator[Tree]:
    """The transport header, and the RPC message header where there is one."""
    header = header_tree(octets)
    yield header
    end = header.root.end
    if header.error is None and _has_payload(header) and end < len(octets):
        yield rpc_tree(octets, end)


@lru_cache(_REMEMBERED)
def one_line(octets: bytes) -> str:
    """The gist of a message on one line."""
    tree = header_tree(octets)
    parts = [f"{len(octets)} octets"]
    values = {node.path: node for node in tree.leaves()}
    if "rdma_xid" in values:
        parts.append(f"xid 0x{_number(values['rdma_xid']):08x}")
    for name, word in (("rdma_vers", "version"), ("rdma_credit", "credits")):
        if name in values:
            parts.append(f"{word} {_number(values[name])}")
    parts.extend(values[path].label for path in _LABELLED if path in values)
    parts.extend(_option_gist(tree))
    parts.extend(
        _GROUP[node.name].format(node.label or _number(node))
        for node in tree.leaves()
        if node.name in _GROUP
    )
    parts.extend(_chunk_counts(tree))
    parts.extend(
        f"{node.name} {node.label or value_of(node)}"
        for path, node in values.items()
        if path.startswith("rdma_body.error")
    )
    if tree.error is not None:
        return f"{', '.join(parts)}; stops at {tree.error}"
    if _has_payload(tree):
        parts.append(_rpc_gist(octets, tree.root.end))
    return ", ".join(part for part in parts if part)


@lru_cache(_REMEMBERED)
def indented(octets: bytes) -> str:
    """Every field on its own line, with the offset of its first octet."""
    lines = [f"RPC-over-RDMA message, {len(octets)} octets"]
    end = 0
    for tree, title in zip(trees(octets), ("transport header", "RPC message"), strict=False):
        lines.extend(_lines(tree, title))
        end = tree.root.end if tree.error is None else tree.error.offset
    rest = octets[end:]
    if rest:
        lines.append(f"{end:6d}  {len(rest)} octets follow")
        lines.extend(_dump(rest[:SHOWN_OCTETS], end))
        if len(rest) > SHOWN_OCTETS:
            lines.append(f"        ... {len(rest) - SHOWN_OCTETS} more")
    return "\n".join(lines)


def capture_comment(octets: bytes) -> str:
    """What a capture says about a message: its gist, and every field where Wireshark shows none.

    Its dissector knows Version One only.
    """
    gist = one_line(octets)
    return gist if _version(octets) in {1, None} else f"{gist}\n{indented(octets)}"


def credits_of(octets: bytes) -> int | None:
    """The credit value in a message's header; None where it is too short to have one."""
    found = [node for node in header_tree(octets).leaves() if node.path == "rdma_credit"]
    return _number(found[0]) if found else None


def _version(octets: bytes) -> int | None:
    """The version that a message names; None where it is too short to name one."""
    return word_at(octets, 4) if len(octets) >= 8 else None


def _option_gist(tree: Tree) -> Iterator[str]:
    """What an RDMA2_OPTIONAL is about: the operation, its properties, and the subsets of them."""
    for node in tree.root.walk():
        below = {child.name: child for child in node.children}
        if "rdma_opttype" in below:
            option = below["rdma_opttype"]
            yield option.label or f"operation {_number(option)}"
        elif {"pv_which", "pv_data"} <= below.keys():
            which, data = below["pv_which"], below["pv_data"]
            values = [leaf for leaf in data.walk() if leaf.value is not None and leaf is not data]
            shown = " ".join(leaf.label or value_of(leaf) for leaf in values)
            name = which.label or f"property {_number(which)}"
            yield (
                value_of(data)
                if data.label.startswith(DEFAULT_OF)
                else f"{name} {shown or value_of(data)}"
            )
        elif node.kind is Kind.ARRAY and node.name in _SUBSETS:
            words = (value_of(leaf) for leaf in node.children if leaf.kind is Kind.INTEGER)
            yield f"{node.name} [{' '.join(words)}]"


def _number(node: Node) -> int:
    return node.value if isinstance(node.value, int) else 0


def _has_payload(tree: Tree) -> bool:
    """Whether an RPC message follows the header: by its procedure, or by its operation."""
    for node in tree.root.children:
        if node.label in _WITH_PAYLOAD:
            return True
        for below in node.children:
            operation = BY_CODE.get(_number(below)) if below.name == "rdma_opttype" else None
            if operation is not None and operation.begins_rpc:
                return True
    return False


def _chunk_counts(tree: Tree) -> Iterator[str]:
    """How many chunks of each sort the header names; only those that are there."""
    for node in tree.root.walk():
        entries = sum(child.kind is Kind.ENTRY and child.length > 0 for child in node.children)
        if node.path == "rdma_body.rdma_reads" and entries:
            yield f"{entries} read segment{'s' * (entries != 1)}"
        elif node.path == "rdma_body.rdma_writes" and entries:
            yield f"{entries} write chunk{'s' * (entries != 1)}"
        elif node.path == "rdma_body.rdma_reply.target" and node.kind is Kind.COUNT:
            yield f"reply chunk of {_number(node)} segment{'s' * (node.value != 1)}"


def _rpc_gist(octets: bytes, offset: int) -> str:
    if offset == len(octets):
        return "no payload"
    tree = rpc_tree(octets, offset)
    values = {node.path: node for node in tree.leaves()}
    if tree.error is not None:
        return f"RPC stops at {tree.error}"
    if "body.prog" in values:
        numbers = ", ".join(
            f"{word} {_number(values[f'body.{name}'])}"
            for name, word in (("prog", "program"), ("vers", "version"), ("proc", "procedure"))
        )
        return f"Call of {numbers}"
    # A rejected Reply has two items of this path, the discriminant first: hence no look-up.
    labels = [node.label for node in tree.leaves() if node.name in {"stat", "verf"} and node.label]
    return f"Reply {labels[-1]}"


def _lines(tree: Tree, title: str) -> Iterator[str]:
    yield f"{tree.root.offset:6d}  {title}"
    for child in tree.root.children:
        yield from _node_lines(child, 1)
    if tree.error is not None:
        error = tree.error
        detail = f" ({error.detail})" if error.detail else ""
        yield f"{error.offset:6d}  stops here: {error.path}: {error.reason.value}{detail}"


def _node_lines(node: Node, depth: int) -> Iterator[str]:
    """The lines of a node; optional-data discriminators only show in what they lead to."""
    head = f"{node.offset:6d}  {'  ' * depth}{node.name}"
    if node.kind is Kind.FLAG:
        return
    if node.value is not None and not node.children:
        yield f"{head}{' (count)' if node.kind is Kind.COUNT else ''}: {value_of(node)}"
        return
    if _is_segment(node):
        shown = ", ".join(
            f"{leaf.name} {value_of(leaf)}"
            for leaf in node.walk()
            if leaf.value is not None and leaf.kind is not Kind.FLAG
        )
        yield f"{head}: {shown}"
        return
    inner = [child for child in node.children if child.kind is not Kind.FLAG]
    if not inner:
        yield f"{head}: {_NOTHING[node.kind]}" if node.kind in _NOTHING and node.length else head
        return
    yield f"{head}: {node.label}" if node.label else head
    for child in inner:
        # An entry, optional or overlay and the item inside have the same path: one line is enough.
        same = child.path == node.path and (child.children or node.kind is Kind.OPAQUE)
        shown_children = child.children if same else (child,)
        for shown_child in shown_children:
            yield from _node_lines(shown_child, depth + 1)


def _is_segment(node: Node) -> bool:
    """Whether a list entry or array element holds numbers only, and so fits on a line."""
    return (
        node.kind in {Kind.STRUCTURE, Kind.ENTRY}
        and node.name.endswith("]")
        and all(
            leaf.kind in {Kind.INTEGER, Kind.FLAG} for leaf in node.walk() if leaf.value is not None
        )
    )


def value_of(node: Node) -> str:
    """What a leaf holds, in the words of the documents."""
    match node.value:
        case int() as number if node.kind is Kind.COUNT:
            return str(number)
        case int() as number if node.kind is Kind.BOOLEAN:
            return f"{_TRUTH[number]} ({number})"
        case int() as number if node.kind is Kind.FLAG:
            return f"{_PRESENCE[node.name.endswith(']')][number]} ({number})"
        case int() as number if node.name.partition("[")[0] in HEXADECIMAL:
            return f"0x{number:0{2 * node.length}x}"
        case int() as number:
            label = node.label or _registered(node, number)
            return f"{label} ({number})" if label else str(number)
        case bytes() as octets:
            if node.label.startswith(DEFAULT_OF):
                return node.label
            return octets_in_words(octets)
        case value:
            return f'"{value}"' if isinstance(value, str) else f"{value}"


def _registered(node: Node, number: int) -> str:
    """The name that a registry has for a number, if it has one."""
    names = _REGISTERED.get(node.name)
    return names(number).name if names is not None and number in names.__members__.values() else ""


def _dump(octets: bytes, offset: int) -> Iterator[str]:
    for start in range(0, len(octets), 16):
        row = octets[start : start + 16]
        text = "".join(chr(octet) if 32 <= octet < 127 else "." for octet in row)
        yield f"{offset + start:6d}    {row.hex(' ', 4):<36} {text}"
