"""Fuzz harnesses, one file each: the invariant stands first."""
