from __future__ import annotations

from fuzz.differential.kernel_trace import KernelDecoding, KernelSays, decodings

TRACE = """\
# tracer: nop
  nfsd-91 [000] ..... 12.1: svcrdma_decode_rqst: cq.id=4 cid=7 xid=0x5eed0001 vers=1 credits=8 \
proc=RDMA_MSG hdrlen=28
  nfsd-91 [000] ..... 12.2: svcrdma_decode_wseg: cq_id=4 cid=7 segno=0 100@0x0000000000000000:0x1
  nfsd-91 [000] ..... 12.3: svcrdma_decode_parse_err: cq.id=4 cid=8 xid=0x5eed0002 vers=1 \
credits=8 proc=0
  nfsd-91 [000] ..... 12.4: svcrdma_decode_drop_err: cq.id=4 cid=9 xid=0x5eed0003 vers=1 credits=8 \
proc=3
  nfsd-91 [000] ..... 12.5: svcrdma_decode_short_err: cq.id=4 cid=10 hdrlen=12
"""


def test_each_header_has_what_is_said_of_it_last() -> None:
    assert decodings(TRACE.splitlines()) == {
        0x5EED0001: KernelDecoding(KernelSays.TAKEN, 28),
        0x5EED0002: KernelDecoding(KernelSays.REFUSED),
        0x5EED0003: KernelDecoding(KernelSays.DROPPED),
    }
