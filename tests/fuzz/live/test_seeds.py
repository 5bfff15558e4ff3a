"""What a campaign begins with."""

from __future__ import annotations

from conformance.tester.client.harness import Harness
from fuzz.live.seeds import seeds_for
from fuzz.registry import corpus_of
from fuzz.sequence import split
from rpcrdma.wire import RdmaMsg, RdmaNomsg, decode_header
from targets.registry import find_target


def test_the_devices_own_calls_come_first_in_every_form_and_each_once() -> None:
    harness = Harness(find_target("reference"))
    seeds = seeds_for(harness, "v1-responder")
    harness.close()
    kept = sorted(path.read_bytes() for path in corpus_of("v1-responder").iterdir())
    calls = [message for seed in seeds[: -len(kept)] for message in split(seed)]
    assert seeds[-len(kept) :] == tuple(kept)
    assert len(calls) > 50
    assert len({call[4:] for call in calls}) > 50
    assert len({call[:4] for call in calls}) == len(calls)
    bodies = [decode_header(call)[0].rdma_body for call in calls]
    assert any(isinstance(body, RdmaNomsg) for body in bodies)
    assert any(isinstance(body, RdmaMsg) and body.rdma_reads for body in bodies)
    assert any(isinstance(body, RdmaMsg) and body.rdma_writes for body in bodies)
    assert any(isinstance(body, RdmaMsg) and body.rdma_reply for body in bodies)
