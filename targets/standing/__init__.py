"""A guest that stays: it holds the device alone; tester and report are outside of it.

The guest reaches the tester by Ethernet frames over QEMU's datagram netdev, and is told what to do
by an agent in it (`targets.standing.agent`), over a virtio serial port.
"""
