"""One queue pair with its completion queue: creation, state changes, completions with a deadline.

Children are closed before parents: queue pair, completion queue, channel, protection domain.
Nothing here blocks: the completion channel is non-blocking, and waiting is `select`'s business.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyverbs.addr import GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ, CompChannel
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

from rpcrdma.errors import FabricError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import ConnectionParameters
    from rpcrdma.fabric.rdmacm import Identifier
    from rpcrdma.fabric.verbs_device import VerbsDevice

__all__ = ["MOST_AT_ONCE", "Queue"]

_RELIABLE_CONNECTION: Final = 2  # IBV_QPT_RC
_RESET, _INIT, _RTR, _RTS, _ERROR = 0, 1, 2, 3, 6  # enum ibv_qp_state
_STATE: Final = 1 << 0  # enum ibv_qp_attr_mask, from here on
_ACCESS_FLAGS: Final = 1 << 3
_MIN_RNR_TIMER: Final = 1 << 15
_ALL_ACCESS: Final = 1 | 2 | 4  # the queue pair allows everything; regions say what they allow
_ACKNOWLEDGE_TIMEOUT: Final = 16  # 4.096 us * 2**16: 0.27 s
_RNR_TIMER: Final = 12  # 0.64 ms
_WINDOWS_AT_ONCE: Final = 4  # room in the send queue for binding windows

MOST_AT_ONCE: Final = 16
"""Completions that are worth fetching by one call of `Queue.poll`."""


class Queue:
    """A queue pair of a connection that the CM makes, in a protection domain of its own.

    rfc8166 8.1.1: with one domain for each connection, a handle of one is unknown to the others.
    """

    def __init__(self, device: VerbsDevice, parameters: ConnectionParameters) -> None:
        self.device = device
        self._parameters = parameters
        self._armed = False
        device.require_segments(parameters.receive_segments)
        send_depth = parameters.send_depth + _WINDOWS_AT_ONCE
        depth = send_depth + parameters.receive_depth
        try:
            self.domain = PD(device.context)
            before = _descriptors()
            self._channel = CompChannel(device.context)
            # pyverbs hides the descriptor; it is the one that was not there before.
            (self.descriptor,) = _descriptors() - before
            os.set_blocking(self.descriptor, False)
            self._completions = CQ(device.context, depth, None, self._channel, 0)
            cap = QPCap(send_depth, parameters.receive_depth, 1, parameters.receive_segments, 0)
            self._pair = QP(
                self.domain,
                QPInitAttr(
                    qp_type=_RELIABLE_CONNECTION,
                    scq=self._completions,
                    rcq=self._completions,
                    cap=cap,
                    sq_sig_all=0,  # each request says whether it is signalled
                ),
            )
        except PyverbsRDMAError as error:
            raise FabricError(f"the device cannot make a queue pair: {error}") from error
        self.post_send = self._pair.post_send
        self.post_receive = self._pair.post_recv
        self.number: int = self._pair.qp_num
        self.poll: Callable[[int], tuple[int, list[Any]]] = self._completions.poll
        """Up to so many work completions (pyverbs WC) that are there now, and their number.

        The very method of pyverbs: it is called over and over while a reply is awaited.
        """

    def prepare(self, identifier: Identifier) -> None:
        """Go to INIT: Receives may be posted from here on."""
        self._change(identifier, _INIT)

    def connect(self, identifier: Identifier) -> None:
        """Go to RTR and RTS: the peer is known."""
        self._change(identifier, _RTR)
        self._change(identifier, _RTS)

    def fail(self) -> None:
        """Go into error, which flushes everything that is posted."""
        # It cannot when the device is going away; then nothing comes of what is posted, either.
        with contextlib.suppress(PyverbsRDMAError):
            self._set_state(_ERROR)

    def silence(self) -> None:
        """Answer the peer no longer, as if this host were gone."""
        self._set_state(_RESET)

    def arm(self) -> bool:
        """Have the descriptor become readable at the next completion; False if it was armed."""
        if self._armed:
            return False
        self._completions.req_notify()
        self._armed = True
        return True

    def disarm(self) -> None:
        """Take the notification off the descriptor, which is readable."""
        try:
            self._channel.get_cq_event(self._completions)
        except PyverbsRDMAError:
            return  # there was none after all
        self._completions.ack_events(1)
        self._armed = False

    def close(self) -> None:
        """Close everything but the protection domain, whose regions go first."""
        self._pair.close()
        self._completions.close()
        self._channel.close()

    def _set_state(self, state: int) -> None:
        attributes = QPAttr()
        attributes.qp_state = state
        self._pair.modify(attributes, _STATE)

    def _change(self, identifier: Identifier, state: int) -> None:
        wanted, mask = identifier.queue_pair_attributes(state)
        attributes = QPAttr()
        for name in (
            "qp_state",
            "path_mtu",
            "rq_psn",
            "sq_psn",
            "dest_qp_num",
            "pkey_index",
            "port_num",
            "path_mig_state",
        ):
            setattr(attributes, name, getattr(wanted, name))
        most = self.device.most_reads
        attributes.max_rd_atomic = min(most, wanted.max_rd_atomic)
        attributes.max_dest_rd_atomic = min(most, wanted.max_dest_rd_atomic)
        attributes.qp_access_flags = _ALL_ACCESS
        attributes.min_rnr_timer = _RNR_TIMER
        # The CM proposes what the peer asked for; how patient this side is, is our choice.
        attributes.timeout = _ACKNOWLEDGE_TIMEOUT
        attributes.retry_cnt = self._parameters.retry
        attributes.rnr_retry = self._parameters.rnr_retry
        attributes.ah_attr = _address_handle(wanted.ah_attr)
        if state == _INIT:
            mask |= _ACCESS_FLAGS
        if state == _RTR:
            mask |= _MIN_RNR_TIMER
        try:
            self._pair.modify(attributes, mask)
        except PyverbsRDMAError as error:
            raise FabricError(f"the queue pair cannot go to state {state}: {error}") from error


def _address_handle(wanted: Any) -> Any:  # noqa: ANN401  # a ctypes structure, a pyverbs object
    octets = bytes(wanted.dgid).hex()
    route = GlobalRoute(
        dgid=GID(":".join(octets[start : start + 4] for start in range(0, 32, 4))),
        flow_label=wanted.flow_label,
        sgid_index=wanted.sgid_index,
        hop_limit=wanted.hop_limit,
        traffic_class=wanted.traffic_class,
    )
    return AHAttr(
        gr=route,
        dlid=wanted.dlid,
        sl=wanted.sl,
        src_path_bits=wanted.src_path_bits,
        static_rate=wanted.static_rate,
        is_global=wanted.is_global,
        port_num=wanted.port_num,
    )


def _descriptors() -> set[int]:
    """The open descriptors of this process that are completion channels."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            if "infinibandevent" in str(entry.readlink()):
                found.add(int(entry.name))
        except OSError:  # closed meanwhile: the listing's own descriptor
            continue
    return found
