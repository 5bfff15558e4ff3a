"""Mutants of the transport properties (xcharext)."""
