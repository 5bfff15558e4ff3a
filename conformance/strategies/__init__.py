"""Hypothesis strategies for protocol messages."""
