"""What a Responder may do about a message, and whether what it did was allowed."""
