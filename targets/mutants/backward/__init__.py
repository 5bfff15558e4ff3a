"""Mutants of the backward direction (bidir)."""
