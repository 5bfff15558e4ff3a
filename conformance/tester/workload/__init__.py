"""Calls that a scenario asks for, in the words of each Upper-Layer Protocol."""
