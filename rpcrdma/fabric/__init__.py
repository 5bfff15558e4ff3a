"""What carries messages: one verbs-shaped interface, in process (loopback) or over pyverbs."""
