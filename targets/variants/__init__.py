"""The reference endpoint with one lawful choice made otherwise, once for each choice."""
