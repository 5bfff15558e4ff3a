"""A run for people and programs: terminal, JUnit, JSON, HTML."""
