"""The dissector that is made of our `.x` files reads Version Two as our decoder does.

Every field that it finds, and the octet, field and reason of every refusal, on all operations and
properties, and on thousands of headers of which something is wrong.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fuzz.registry import corpus_of
from fuzz.structure.headers import V2_HEADER
from reports.capture.pcapng import write_pcapng
from rpcrdma.errors import Reason
from rpcrdma.fabric.trace import EventKind, Side, Trace, TraceEvent
from rpcrdma.ulp import nfs3, rpc
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import describe
from rpcrdma.wire.dissector import DISSECTOR
from rpcrdma.wire.operations import ConnProp, KnownOption, ReptErr, XmtCont, XmtReq, XmtResp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import (
    ADOPTED,
    PROPERTIES,
    DefaultValue,
    DerivedStructure,
    ReceiveBufferStructure,
    UnknownProperty,
    property_values,
)
from rpcrdma.wire.v2 import MessageType, Rdma2Header, Rdma2Msg, encode_header
from rpcrdma.xdr.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rpcrdma.wire.v2 import Rdma2Body
    from rpcrdma.xdr.tree import Node

XID = 0x0A0B0C0D
MUTATIONS = 120
"""Of each header."""

MOST = 2048
"""Octets of a message: what one packet holds."""

REFUSAL = "refusal"
OCTETS = ("pv_data", "rdma_optinfo")
"""Fields that are not numbers."""

SEGMENT = rtrext.RdmaSegment(7, 4096, 0x1_0000_1000)
IDENTITY = rtrext.TransmissionId(XID, rtrext.MessageType.REPLY, 2)
ITEMS = (
    rtrext.MessageItem(44, 4096, rtrext.ByExplicitRdma((SEGMENT, SEGMENT))),
    rtrext.MessageItem(48, 80, rtrext.InTargetedSegments(4, (1, 2))),
)
WAYS = (
    rtrext.DirectToExplicitRdma((SEGMENT,)),
    rtrext.DirectByChoice((SEGMENT,)),
    rtrext.DirectBySize(512, ()),
    rtrext.DirectToSends(),
)
RESULTS = (
    rtrext.ResponseSet(
        rtrext.ResponseRange(0, 64), tuple(rtrext.ResponseItem(8, way) for way in WAYS)
    ),
)
STRUCTURE = ReceiveBufferStructure(
    rtrext.BufferStructure(
        8192, (rtrext.BufferSegmentGroup(2, rtrext.BufferSegment(4096, 512, 1)),)
    )
)


def header(body: Rdma2Body) -> bytes:
    return encode_header(Rdma2Header(XID, 2, 32, body))


def options() -> list[KnownOption]:
    """An operation of each kind that the corpus lacks, and all properties in one."""
    values = [one.default for one in PROPERTIES if one.default != DerivedStructure()]
    values += [STRUCTURE, UnknownProperty(99, b"abc")]
    values += [DefaultValue(one.code) for one in PROPERTIES]
    return [
        ConnProp(property_values(*values, known=ADOPTED), (5, 0)),
        XmtReq(ITEMS, RESULTS, 3, 1, 100),
        XmtResp(ITEMS, 2, 60),
        XmtCont(1, 4, 50),
        ReptErr(IDENTITY, IDENTITY, rtrext.BadSequence(3, 4)),
        ReptErr(IDENTITY, None, rtrext.BadOffset(9, 1, 2)),
    ]


def inputs() -> list[bytes]:
    """Headers that are good, that end anywhere, or in which up to three things are other."""
    draw = random.Random(16)

    def one_word(octets: bytes, maximum: int) -> bytes:
        place = draw.randrange(len(octets) // 4 or 1) * 4
        word = draw.choice((*range(9), 0xFFFF_FFFF))
        return (octets[:place] + word.to_bytes(4) + octets[place + 4 :])[:maximum]

    kept = [path.read_bytes() for path in sorted(corpus_of("v2-header").iterdir())]
    kept += [header(encode_option(MessageType.CALL, option)) for option in options()]
    found = []
    for octets in kept:
        found += [octets[:end] for end in range(8, len(octets), 4)]
        for number in range(MUTATIONS):
            changed = octets
            for _ in range(number % 4):
                if draw.randrange(2):
                    changed = V2_HEADER.mutate(changed, MOST, draw.getrandbits(30), one_word)
                else:
                    changed = one_word(changed, MOST)
            found.append(of_version_two(changed))
    return list(dict.fromkeys(found))


def of_version_two(octets: bytes) -> bytes:
    """Whole words, as a packet holds them without padding, that the dissector takes for its own."""
    octets = octets[: len(octets) // 4 * 4]
    return octets[:4].ljust(4, b"\0") + b"\0\0\0\2" + octets[8:]


def expected(octets: bytes) -> dict[str, list[int | str]]:
    """Filter name -> its values, as our decoder has them."""
    tree = describe.header_tree(octets)
    found: dict[str, list[int | str]] = defaultdict(list)
    for node in tree.leaves():
        name = node.name.partition("[")[0]
        if node.kind is Kind.FLAG or node.value == b"":
            continue
        found[name + ".count" * (node.kind is Kind.COUNT)].append(plain(node))
    if tree.error is not None:
        error = tree.error
        found[REFUSAL] = [f"octet {error.offset}: {error.path}: {error.reason.value}"]
    return dict(found)


def plain(node: Node) -> int | str:
    assert isinstance(node.value, bytes | int)
    return node.value.hex() if isinstance(node.value, bytes) else int(node.value)


def dissected(messages: Sequence[bytes], path: Path) -> list[dict[str, Any]]:
    """The protocol's own fields of each message, by filter name, as tshark says them."""
    events = [
        TraceEvent(float(number), number, Side.LOCAL, EventKind.SEND, message)
        for number, message in enumerate(messages, start=1)
    ]
    write_pcapng(Trace(events), path)
    names = {name for message in messages for name in expected(message)}
    wanted = [option for name in sorted(names) for option in ("-e", f"rpcrdma2.{name}")]
    run = subprocess.run(
        ["tshark", "-n", "-X", f"lua_script:{DISSECTOR}", "-r", str(path), "-T", "json", *wanted],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "Lua" not in run.stderr
    return [
        {
            name: [value_of(name, one) for one in values]
            for filter_name, values in packet["_source"]["layers"].items()
            for name in [filter_name.removeprefix("rpcrdma2.")]
        }
        for packet in json.loads(run.stdout)
    ]


def value_of(name: str, shown: str) -> int | str:
    """A number, whatever its base; octets and sentences as they are."""
    return shown.replace(":", "") if name in OCTETS else shown if name == REFUSAL else int(shown, 0)


def test_it_finds_the_fields_and_the_faults_that_we_find(tmp_path: Path) -> None:
    messages = inputs()
    refused = [fault for message in messages for fault in expected(message).get(REFUSAL, ())]
    assert {reason for reason in Reason if any(reason.value in str(one) for one in refused)} == {
        Reason.TRUNCATED,
        Reason.BAD_BOOLEAN,
        Reason.BAD_ENUM,
        Reason.BAD_DISCRIMINANT,
        Reason.BAD_PADDING,
        Reason.TRAILING,
    }
    assert len(messages) - len(refused) > 100

    found = dissected(messages, tmp_path / "headers.pcapng")

    wrong = [
        (message.hex(), ours, theirs)
        for message, theirs in zip(messages, found, strict=True)
        if theirs != (ours := expected(message))
    ]
    assert wrong[:3] == []


def test_the_rpc_message_after_a_header_is_dissected_and_paired(tmp_path: Path) -> None:
    """In an RDMA2_MSG, and where an operation begins an RPC message."""
    call, reply = nfs3.call(XID, nfs3.null()), rpc.accepted(XID)
    ask = header(encode_option(MessageType.CALL, XmtReq((), (), 1, 1, len(call)))) + call
    answer = header(Rdma2Msg(MessageType.REPLY, (), (), None)) + reply
    events = [
        TraceEvent(0.0, 1, Side.LOCAL, EventKind.CONNECT),
        TraceEvent(0.1, 1, Side.PEER, EventKind.CONNECT),
        TraceEvent(0.2, 1, Side.LOCAL, EventKind.SEND, ask),
        TraceEvent(0.3, 1, Side.PEER, EventKind.SEND, answer),
    ]
    path = tmp_path / "case.pcapng"
    write_pcapng(Trace(events), path)

    run = subprocess.run(
        ["tshark", "-n", "-X", f"lua_script:{DISSECTOR}", "-r", str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    *_, asked, answered = run.stdout.splitlines()
    assert "NFS" in asked
    assert "V3 NULL Call" in asked
    assert "V3 NULL Reply (Call In 4)" in answered
