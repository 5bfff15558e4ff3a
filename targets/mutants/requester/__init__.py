"""Mutants of the client in Version One (rfc8166)."""
