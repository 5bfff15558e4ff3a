"""The backward direction (bidir): both halves, and the connection that has two directions."""
