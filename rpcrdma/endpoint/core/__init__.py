"""What both roles stand on: events, actions, the connection's state machine, the driver."""
