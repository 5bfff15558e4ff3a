"""Everything there is, within a time, every night; and what has changed since the night before."""
