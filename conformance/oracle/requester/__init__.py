"""What the messages of a Requester must be, and what it may do about those that it receives."""
