"""A trace as a packet capture: RoCEv2 frames in a `.pcapng`."""
