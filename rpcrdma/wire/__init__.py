"""RPC-over-RDMA transport headers: generated codecs and the typed layer above them."""
