"""RPC-over-RDMA as a library: codec, fabrics and the reference endpoint."""

__all__ = ["__version__"]

__version__ = "0.1.0"
