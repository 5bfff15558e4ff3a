"""The reference endpoint with exactly one behaviour broken, once for each requirement."""
