"""The mutators of our protocols: transport headers, RPC messages, sequences of both."""

from __future__ import annotations

from typing import Final

from fuzz.structure.mutator import ItemMutator
from fuzz.structure.sequences import SequenceMutator
from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.wire import _generated_rpc as rpc
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_v2 as v2
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire.overlays import overlaid
from rpcrdma.xdr.model import Schema

__all__ = ["RPC_MESSAGE", "V1_HEADER", "V1_SEQUENCE", "V2_HEADER", "V2_SEQUENCE"]

_VERSION_TWO: Final = Schema({**v2.SCHEMA.types, **xcharext.SCHEMA.types, **rtrext.SCHEMA.types})
"""The header's types with those of what RDMA2_OPTIONAL holds; shared names are of equal types."""

V1_HEADER: Final = ItemMutator(v1.SCHEMA, "TransportHeader")
V2_HEADER: Final = ItemMutator(_VERSION_TWO, "Rdma2Header", overlaid)
RPC_MESSAGE: Final = ItemMutator(rpc.SCHEMA, "RpcMessage")
V1_SEQUENCE: Final = SequenceMutator(V1_HEADER, RPC_MESSAGE)
V2_SEQUENCE: Final = SequenceMutator(V2_HEADER, RPC_MESSAGE)
