"""RoCEv2 without an RDMA stack: InfiniBand's reliable connections over UDP, in Python."""
