"""RPC messages, Upper-Layer Protocols and their bindings to RPC-over-RDMA."""
