"""The reference endpoint as a device under test, in both roles."""
