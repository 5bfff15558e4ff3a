"""Adapters for devices under test, and the target profile."""
