"""Which version a client speaks on a connection (v2 section 5)."""
