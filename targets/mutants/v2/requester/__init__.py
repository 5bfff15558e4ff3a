"""Mutants of the client in Version Two."""
