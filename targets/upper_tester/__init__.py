"""The upper tester of a foreign client: which commands make it act, and how they are run."""
