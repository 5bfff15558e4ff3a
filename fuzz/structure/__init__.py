"""Mutation that knows what an input is made of: XDR items, messages, sequences of messages."""
