"""The conformance suite: catalogue, tester peer, scenarios, pytest plugin and command line."""
