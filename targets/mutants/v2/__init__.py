"""Mutants of Version Two (v2)."""
