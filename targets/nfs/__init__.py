"""NFS services and clients of our own that a kernel needs around it: MOUNT, an NFSv3 server."""
