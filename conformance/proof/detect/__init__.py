"""Faults made by machine in the reference endpoint, and how many of them the suite finds."""
