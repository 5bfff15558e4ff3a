"""Live fuzzing of a server: messages, and what else a client can do to it between them."""
