"""Mutants of the round-trip reductions (rtrext)."""
