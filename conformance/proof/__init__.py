"""The suite proves itself: the mutants' matrix, and what has no case or no mutant yet."""
