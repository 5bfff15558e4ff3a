"""The tester before a Responder: it connects, sends any octets, lies about memory."""
