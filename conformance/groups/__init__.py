"""Messages in several transmissions: the tester's side of the round-trip reductions (rtrext)."""
