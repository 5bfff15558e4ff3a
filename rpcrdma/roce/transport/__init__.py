"""The transport of a reliable connection: queue pairs, from work requests to packets and back."""
