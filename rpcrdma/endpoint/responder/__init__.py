"""The Responder: takes Calls apart, builds Replies and errors."""
