"""Mutants of the RoCEv2 transport below either end; they run on the fabric `switch`."""
