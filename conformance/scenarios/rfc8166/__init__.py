"""Scenarios of RFC 8166, one file for each section."""
