"""What may do anything: the tester's ends of connections, and what they send."""
