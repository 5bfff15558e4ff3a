"""Coverage-guided fuzzing, findings and replay."""
