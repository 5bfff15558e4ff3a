from __future__ import annotations

from fuzz.differential.client_trace import ClientDecoding, ClientSays, read_trace
from rpcrdma.wire import RdmaSegment

WORKER = "kworker/0:1H-44 [000] ..... 217.861927: "
PEER = "peer=[10.9.0.1]:20049"
TRACE = f"""\
# tracer: nop
{WORKER}xprtrdma_reply: task:0000004c@00000001 xid=0x5eed0001 credits=8
{WORKER}xprtrdma_decode_seg: 4128@0x00007f1100000000:0x00002222
{WORKER}xprtrdma_decode_seg: 2@0x0000000000000001:0xffffffff
perl-201 [001] ..... 217.9: rpc_xdr_recvfrom: task:0000004c@00000001 head=[00000000d18535b1,112] \
page=0(0) tail=[0000000000000000,0] len=3112
{WORKER}xprtrdma_reply: task:0000004d@00000001 xid=0x5eed0002 credits=8
{WORKER}xprtrdma_decode_seg: 1@0x0000000000000002:0x00000003
{WORKER}xprtrdma_reply_hdr_err: {PEER} xid=0x5eed0002 version=1 proc=0
{WORKER}xprtrdma_reply: task:0000004e@00000001 xid=0x5eed0003 credits=8
{WORKER}xprtrdma_err_vers: task:0000004e@00000001 xid=0x5eed0003 versions=[2, 4]
{WORKER}xprtrdma_reply_hdr_err: {PEER} xid=0x5eed0003 version=1 proc=4
{WORKER}xprtrdma_reply: task:0000004f@00000001 xid=0x5eed0004 credits=8
{WORKER}xprtrdma_err_chunk: task:0000004f@00000001 xid=0x5eed0004
{WORKER}xprtrdma_reply_hdr_err: {PEER} xid=0x5eed0004 version=1 proc=4
{WORKER}xprtrdma_reply: task:00000050@00000001 xid=0x5eed0005 credits=8
{WORKER}xprtrdma_err_unrecognized: task:00000050@00000001 xid=0x5eed0005 procedure=7
{WORKER}xprtrdma_reply_hdr_err: {PEER} xid=0x5eed0005 version=1 proc=4
{WORKER}xprtrdma_reply_vers_err: {PEER} xid=0x5eed0006 version=2 proc=4
{WORKER}xprtrdma_reply_rqst_err: {PEER} xid=0x5eed0007 version=1 proc=0
{WORKER}xprtrdma_reply_short_err: {PEER} xid=0x00000000 version=0 proc=0
{WORKER}xprtrdma_reply: task:00000051@00000001 xid=0x5eed0008 credits=8
"""


def test_each_header_has_what_is_said_of_it() -> None:
    found = read_trace(TRACE.splitlines())

    segments = [RdmaSegment(0x2222, 4128, 0x7F11_0000_0000), RdmaSegment(0xFFFF_FFFF, 2, 1)]
    assert found.decodings == {
        0x5EED0001: [ClientDecoding(ClientSays.TAKEN, segments, 3112)],
        0x5EED0002: [ClientDecoding(ClientSays.REFUSED, [RdmaSegment(3, 1, 2)])],
        0x5EED0003: [ClientDecoding(ClientSays.ERR_VERS, versions=(2, 4))],
        0x5EED0004: [ClientDecoding(ClientSays.ERR_CHUNK)],
        0x5EED0005: [ClientDecoding(ClientSays.OTHER_ERROR)],
        0x5EED0006: [ClientDecoding(ClientSays.OTHER_VERSION)],
        0x5EED0007: [ClientDecoding(ClientSays.NO_CALL)],
        0x5EED0008: [ClientDecoding(ClientSays.TAKEN)],
    }
    assert found.short == [ClientDecoding(ClientSays.SHORT)]


def test_a_call_that_is_made_again_under_its_xid_has_two_headers() -> None:
    call = "xid=0x5eed0001 credits=8"
    trace = [
        f"xprtrdma_reply: task:0000004c@00000001 {call}",
        "xprtrdma_reply_hdr_err: xid=0x5eed0001 version=1 proc=9",
        f"xprtrdma_reply: task:0000004c@00000001 {call}",
        "rpc_xdr_recvfrom: task:0000004c@00000001 head=[0,112] len=112",
        "rpc_xdr_recvfrom: task:0000004c@00000002 head=[0,112] len=24",
    ]

    assert read_trace(trace).decodings == {
        0x5EED0001: [
            ClientDecoding(ClientSays.REFUSED),
            ClientDecoding(ClientSays.TAKEN, length=112),
        ]
    }


def test_what_is_no_event_of_a_header_is_skipped() -> None:
    lines = [
        "xprtrdma_decode_seg: 1@0x0000000000000002:0x00000003",
        "rpc_xdr_recvfrom: task:0000004c@00000001 head=[0,112] len=112",
        "xprtrdma_reply_hdr_err: xid=0x5eed0001 version=1 proc=9",
        "xprtrdma_disconnect: peer=[10.9.0.1]:20049 rc=0",
    ]

    found = read_trace(lines)

    assert (found.decodings, found.short) == ({}, [])
