"""Variants judged over a fabric between processes: the same verdicts as on loopback."""
