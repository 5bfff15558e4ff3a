"""Transport properties of one end of a connection (xcharext)."""
