"""RPC messages, Upper-Layer Protocols and their bindings to RPC-over-RDMA.

Here is the contract between a transport and a program (`rpcrdma.ulp.bindings`), and what puts
programs together.  The programs are modules of their own, imported where they are wanted:
`rpcrdma.ulp.testprog` with `rpcrdma.ulp.testprog_calls`, `rpcrdma.ulp.nfs3` with
`rpcrdma.ulp.nfs3_server` (and `rpcrdma.ulp.mount3` for its first file handle), and
`rpcrdma.ulp.nfs4` with `rpcrdma.ulp.nfs4_server`; all serve one `rpcrdma.ulp.file_store`.  RPC
headers are `rpcrdma.ulp.rpc`.  Everything else may change.
"""

from __future__ import annotations

from rpcrdma.ulp.bindings import (
    DataItem,
    Program,
    ReplyExpectation,
    UpperLayer,
    UpperLayerFactory,
    reduce,
    restore,
)
from rpcrdma.ulp.program import ProcedureTable, ProgramProcedure, Programs

__all__ = [
    "DataItem",
    "ProcedureTable",
    "Program",
    "ProgramProcedure",
    "Programs",
    "ReplyExpectation",
    "UpperLayer",
    "UpperLayerFactory",
    "reduce",
    "restore",
]
