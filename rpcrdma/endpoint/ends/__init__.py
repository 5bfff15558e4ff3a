"""What an application uses: blocking calls, a server, a client that reconnects."""
