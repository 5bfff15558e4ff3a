"""Live fuzzing of a client: the device is told to act, and the tester is its server."""
