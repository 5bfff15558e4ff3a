"""Frames, transport packets and messages of connection management: octets to objects and back."""
