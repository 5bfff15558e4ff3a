"""The C structures of rdma/rdma_cma.h and infiniband/verbs.h that `rdmacm` hands to librdmacm.

Their layout is part of a stable ABI.  Of large structures that are only looked into, the first
members are declared and no more.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_uint8, c_uint16, c_uint32, c_void_p

__all__ = [
    "Channel",
    "ConnParam",
    "Context",
    "Id",
    "QpAttributes",
    "RawCmEvent",
    "SocketAddress4",
    "SocketAddress6",
]


class ConnParam(ctypes.Structure):
    """`struct rdma_conn_param`."""

    _fields_ = (
        ("private_data", c_void_p),
        ("private_data_len", c_uint8),
        ("responder_resources", c_uint8),
        ("initiator_depth", c_uint8),
        ("flow_control", c_uint8),
        ("retry_count", c_uint8),
        ("rnr_retry_count", c_uint8),
        ("srq", c_uint8),
        ("qp_num", c_uint32),
    )


class RawCmEvent(ctypes.Structure):
    """`struct rdma_cm_event`, of connections (`conn` is one arm of a union)."""

    _fields_ = (
        ("id", c_void_p),
        ("listen_id", c_void_p),
        ("event", c_int),
        ("status", c_int),
        ("conn", ConnParam),
    )


class Channel(ctypes.Structure):
    """`struct rdma_event_channel`."""

    _fields_ = (("fd", c_int),)


class Context(ctypes.Structure):
    """The start of `struct ibv_context`."""

    _fields_ = (("device", c_void_p),)


class Id(ctypes.Structure):
    """The start of `struct rdma_cm_id`."""

    _fields_ = (("verbs", POINTER(Context)),)


class SocketAddress4(ctypes.Structure):
    """`struct sockaddr_in`; the port is in network order."""

    _fields_ = (
        ("family", c_uint16),
        ("port", c_uint8 * 2),
        ("address", c_uint8 * 4),
        ("zero", c_uint8 * 8),
    )


class SocketAddress6(ctypes.Structure):
    """`struct sockaddr_in6`; the port is in network order."""

    _fields_ = (
        ("family", c_uint16),
        ("port", c_uint8 * 2),
        ("flow", c_uint32),
        ("address", c_uint8 * 16),
        ("scope", c_uint32),
    )


class AddressHandle(ctypes.Structure):
    _fields_ = (
        ("dgid", c_uint8 * 16),
        ("flow_label", c_uint32),
        ("sgid_index", c_uint8),
        ("hop_limit", c_uint8),
        ("traffic_class", c_uint8),
        ("_padding", c_uint8),
        ("dlid", c_uint16),
        ("sl", c_uint8),
        ("src_path_bits", c_uint8),
        ("static_rate", c_uint8),
        ("is_global", c_uint8),
        ("port_num", c_uint8),
        ("_end", c_uint8),
    )


class QpAttributes(ctypes.Structure):
    """`struct ibv_qp_attr`, as the CM fills it for the next state of a queue pair."""

    _fields_ = (
        ("qp_state", c_uint32),
        ("cur_qp_state", c_uint32),
        ("path_mtu", c_uint32),
        ("path_mig_state", c_uint32),
        ("qkey", c_uint32),
        ("rq_psn", c_uint32),
        ("sq_psn", c_uint32),
        ("dest_qp_num", c_uint32),
        ("qp_access_flags", c_uint32),
        ("cap", c_uint32 * 5),
        ("ah_attr", AddressHandle),
        ("alt_ah_attr", AddressHandle),
        ("pkey_index", c_uint16),
        ("alt_pkey_index", c_uint16),
        ("en_sqd_async_notify", c_uint8),
        ("sq_draining", c_uint8),
        ("max_rd_atomic", c_uint8),
        ("max_dest_rd_atomic", c_uint8),
        ("min_rnr_timer", c_uint8),
        ("port_num", c_uint8),
        ("timeout", c_uint8),
        ("retry_cnt", c_uint8),
        ("rnr_retry", c_uint8),
        ("alt_port_num", c_uint8),
        ("alt_timeout", c_uint8),
        ("rate_limit", c_uint32),
        ("_end", c_uint32),  # GIDs are unions with 64-bit words: the size is a multiple of 8
    )
