"""Wireshark's own dissector agrees with our packets and our messages of connection management.

What tshark prints of each field is compared with what was encoded, on every opcode and on every
message that it takes apart: it knows the ids of an MRA, LAP and APR, and none of their fields.
"""

from __future__ import annotations

import json
import random
import struct
import subprocess
from typing import TYPE_CHECKING, Any

from reports.capture.pcapng import write_pcapng
from rpcrdma.fabric.trace import Trace
from rpcrdma.roce.packet.bth import (
    OPERATIONS,
    Aeth,
    Deth,
    ExtendedHeader,
    Packet,
    Reth,
    encode,
)
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    ReadyToUse,
    encode_cm,
)
from rpcrdma.roce.packet.cm_private_data import IpHeader, encode_private_data, service_of_port
from rpcrdma.roce.packet.datagram import seal, to_frame
from rpcrdma.roce.packet.internet import address_of_gid, gid_of_address
from rpcrdma.roce.packet.mad import mad_packet

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = (("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2"))

REQUEST = {
    "local_id": "req",
    "guid": "req.localcaguid",
    "queue_key": "req.localqkey",
    "queue_pair": "req.localqpn",
    "responder_resources": "req.responderres",
    "initiator_depth": "req.initdepth",
    "remote_timeout": "req.remoteresptout",
    "transport_type": "req.transpsvctype",
    "flow_control": "req.e2eflowctrl",
    "starting_psn": "req.startpsn",
    "local_timeout": "req.localresptout",
    "retry": "req.retrcount",
    "partition": "req.pkey",
    "path_mtu": "req.pppmtu",
    "rnr_retry": "req.rnrretrcount",
    "most_cm_retries": "req.maxcmretr",
    "shared_receives": "req.srq",
    "extended_transport": "req.ext_transport",
    "local_lid": "req.prim_locallid",
    "remote_lid": "req.prim_remotelid",
    "local_gid": "req.prim_localgid_ipv4",
    "remote_gid": "req.prim_remotegid_ipv4",
    "traffic_class": "req.prim_tfcclass",
    "hop_limit": "req.prim_hoplim",
    "service_level": "req.prim_sl",
    "subnet_local": "req.prim_subnetlocal",
    "ack_timeout": "req.prim_localacktout",
}
REPLY = {
    "local_id": "rep",
    "remote_id": "rep.remotecommid",
    "queue_key": "rep.localqkey",
    "queue_pair": "rep.localqpn",
    "end_to_end_context": "rep.localeecn",
    "starting_psn": "rep.startpsn",
    "responder_resources": "rep.respres",
    "initiator_depth": "rep.initdepth",
    "ack_delay": "rep.tgtackdelay",
    "failover": "rep.failoveracc",
    "flow_control": "rep.e2eflowctrl",
    "rnr_retry": "rep.rnrretrcount",
    "shared_receives": "rep.srq",
    "guid": "rep.localcaguid",
    "private_data": "rep.private",
}
REJECT = {
    "local_id": "rej.localcommid",
    "remote_id": "rej.remotecommid",
    "rejected": "rej.msgrej",
    "information_length": "rej.rejinfolen",
    "reason": "rej.reason",
    "information": "rej.ari",
    "private_data": "rej.private",
}
DISCONNECT_REQUEST = {
    "local_id": "dreq.localcommid",
    "remote_id": "dreq.remotecommid",
    "queue_pair": "req.remoteqpneecn",
    "private_data": "dreq.private",
}
READY_TO_USE = {
    "local_id": "rtu.localcommid",
    "remote_id": "rtu.remotecommid",
    "private_data": "rtu.private",
}
DISCONNECT_REPLY = {
    "local_id": "drsp.localcommid",
    "remote_id": "drsp.remotecommid",
    "private_data": "drsp.private",
}
MESSAGES: dict[type[CmMessage], dict[str, str]] = {
    ConnectRequest: REQUEST,
    ConnectReply: REPLY,
    ReadyToUse: READY_TO_USE,
    ConnectReject: REJECT,
    DisconnectRequest: DISCONNECT_REQUEST,
    DisconnectReply: DISCONNECT_REPLY,
}
"""Our fields -> the dissector's, below `infiniband.cm`."""

IP_HEAD = {
    "req.serviceid.dport": 20049,
    "req.ip_cm.majv": 0,
    "req.ip_cm.ipv": 4,
    "req.ip_cm.sport": 0x8123,
    "req.ip_cm.sip4": "192.0.2.1",
    "req.ip_cm.dip4": "192.0.2.2",
    "req.ip_cm.private": b"private".ljust(56, b"\0"),
}
"""What the dissector finds in every private data of a REQ."""

WIDTHS = {
    "retry": 3,
    "rnr_retry": 3,
    "most_cm_retries": 4,
    "path_mtu": 4,
    "remote_timeout": 5,
    "local_timeout": 5,
    "ack_timeout": 5,
    "ack_delay": 5,
    "transport_type": 2,
    "failover": 2,
    "rejected": 2,
    "information_length": 7,
    "flow_control": 1,
    "shared_receives": 1,
    "subnet_local": 1,
    "extended_transport": 3,
    "service_level": 4,
    "queue_pair": 24,
    "starting_psn": 24,
    "end_to_end_context": 24,
    "responder_resources": 8,
    "initiator_depth": 8,
    "traffic_class": 8,
    "hop_limit": 8,
    "reason": 16,
    "partition": 16,
    "local_lid": 16,
    "remote_lid": 16,
    "guid": 64,
}
"""Bits of the fields that have not 32."""


def message(source: random.Random, kind: type[CmMessage]) -> CmMessage:
    values: dict[str, Any] = {
        name: source.randrange(1 << WIDTHS.get(name, 32)) for name in MESSAGES[kind]
    }
    if "information" in values:
        values["information"] = source.randbytes(72)
    if kind is ConnectRequest:
        own, peer = (gid_of_address(address) for address in PAIRS[0])
        head = encode_private_data(IpHeader(4, 0x8123, *PAIRS[0]), b"private")
        values |= {"service_id": service_of_port(20049), "local_gid": own, "remote_gid": peer}
        # Another transport type than 0 has another private data.
        values |= {"private_data": head, "transport_type": 0}
    else:
        values["private_data"] = source.randbytes(148)
    return kind(**values)


def packets(source: random.Random) -> list[Packet]:
    """Twice every opcode, with its headers."""
    return [packet(source, opcode) for opcode in OPERATIONS for _ in range(2)]


def packet(source: random.Random, opcode: int) -> Packet:
    def chance(bits: int) -> int:
        return source.randrange(1 << bits)

    made = Packet(
        opcode,
        chance(24) | 2,
        chance(24),
        source.randbytes(40 + chance(2)),
        ack_request=bool(chance(1)),
        solicited=bool(chance(1)),
        migrated=bool(chance(1)),
        partition=chance(16),
    )
    headers = OPERATIONS[opcode].headers
    if ExtendedHeader.DETH in headers:
        made.deth = Deth(chance(32), chance(24))
    if ExtendedHeader.RETH in headers:
        made.reth = Reth(chance(64), chance(32), chance(32))
    if ExtendedHeader.AETH in headers:
        made.aeth = Aeth(chance(5), chance(24))
    if ExtendedHeader.IMMEDIATE in headers:
        made.immediate = chance(32)
    if ExtendedHeader.INVALIDATE in headers:
        made.invalidate = chance(32)
    sizes = {ExtendedHeader.ATOMIC: 28, ExtendedHeader.ATOMIC_ACK: 8}
    made.atomic = b"".join(
        source.randbytes(size) for header, size in sizes.items() if header in headers
    )
    return made


def fields_of_packet(made: Packet) -> dict[str, int]:
    fields = {
        "bth.opcode": made.opcode,
        "bth.se": made.solicited,
        "bth.m": made.migrated,
        "bth.padcnt": -len(made.payload) % 4,
        "bth.tver": 0,
        "bth.p_key": made.partition,
        "bth.destqp": made.destination,
        "bth.a": made.ack_request,
        "bth.psn": made.psn,
    }
    if made.deth is not None:
        fields |= {"deth.q_key": made.deth.queue_key, "deth.srcqp": made.deth.source}
    if made.reth is not None:
        fields |= {"reth.va": made.reth.offset, "reth.r_key": made.reth.handle}
        fields |= {"reth.dmalen": made.reth.length}
    if ExtendedHeader.ATOMIC in OPERATIONS[made.opcode].headers:
        address, handle = struct.unpack_from(">QI", made.atomic)
        fields |= {"reth.va": address, "reth.r_key": handle}
    if made.aeth is not None:
        fields |= {"aeth.syndrome": made.aeth.syndrome, "aeth.msn": made.aeth.msn}
    return fields


def shown(value: int | bytes | str) -> str:
    """A value as tshark shows it, but for the base of a number."""
    return value.hex() if isinstance(value, bytes) else str(value)


def dissect(trace: Trace, path: Path, fields: set[str]) -> list[dict[str, str]]:
    """What tshark says of each frame: the fields that it found."""
    write_pcapng(trace, path)
    wanted = [option for name in sorted(fields) for option in ("-e", f"infiniband.{name}")]
    run = subprocess.run(
        ["tshark", "-n", "-r", str(path), "-T", "json", *wanted],
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [
        {
            name.removeprefix("infiniband."): plain(values[0])
            for name, values in found["_source"]["layers"].items()
        }
        for found in json.loads(run.stdout)
    ]


def plain(value: str) -> str:
    """Numbers in base ten; what is no number as it is."""
    return str(int(value, 16)) if value.startswith("0x") else value


def trace_of(octets: list[bytes], pair: tuple[str, str]) -> Trace:
    trace = Trace()
    for number, transport in enumerate(octets):
        datagram = seal(*pair, 0xC001 + number, transport)
        trace.add_frame(number / 10, to_frame(datagram, b"\2" + bytes(5), b"\2" + bytes(5)))
    return trace


def test_tshark_reads_the_same_packets_as_we_do(tmp_path: Path) -> None:
    """On every opcode, over IPv4 and IPv6, field by field."""
    made = packets(random.Random(12))
    expected = [
        {name: str(int(value)) for name, value in fields_of_packet(one).items()} for one in made
    ]
    names = {name for fields in expected for name in fields}

    for pair in PAIRS:
        trace = trace_of([encode(one) for one in made], pair)
        assert dissect(trace, tmp_path / "packets.pcapng", names) == expected


def test_tshark_reads_the_same_messages_as_we_do(tmp_path: Path) -> None:
    """Ten of each kind of connection management that it takes apart, field by field."""
    source = random.Random(7)
    made = [message(source, kind) for kind in MESSAGES for _ in range(10)]
    expected = [fields_of_message(one) for one in made]
    names = {name for fields in expected for name in fields}
    octets = [encode(mad_packet(encode_cm(one, 0x1000 + n), n)) for n, one in enumerate(made)]

    found = dissect(trace_of(octets, PAIRS[0]), tmp_path / "messages.pcapng", names)

    assert found == expected


def fields_of_message(made: CmMessage) -> dict[str, str]:
    names = MESSAGES[type(made)]
    values: dict[str, Any] = {names[name]: getattr(made, name) for name in names}
    if isinstance(made, ConnectRequest):
        values |= IP_HEAD
        for name in ("local_gid", "remote_gid"):
            values[names[name]] = address_of_gid(getattr(made, name))
    elif "private_data" in names:
        room = {DisconnectRequest: 220, ConnectReply: 196, ConnectReject: 148}
        values[names["private_data"]] = made.private_data.ljust(room.get(type(made), 224), b"\0")
    return {f"cm.{name}": shown(value) for name, value in values.items()} | {
        "mad.mgmtclass": "7",
        "mad.classversion": "2",
        "mad.method": "3",
    }
