"""Properties: generated messages and exchanges, judged by the oracles, shrunk and kept."""
