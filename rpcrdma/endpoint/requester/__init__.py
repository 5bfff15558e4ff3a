"""The Requester: builds Calls, offers memory, matches Replies by XID."""
