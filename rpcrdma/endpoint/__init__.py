"""The reference endpoint, sans-I/O, and the driver that runs it on a fabric."""
