"""Mutants of the server in Version One (rfc8166)."""
