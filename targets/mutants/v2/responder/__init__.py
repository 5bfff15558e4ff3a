"""Mutants of the server in Version Two."""
