"""What carries RoCEv2 datagrams: a UDP socket, QEMU's network, a switch in process, faults."""
