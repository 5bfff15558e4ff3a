"""Scenarios for draft-cel-nfsv4-rpcrdma-version-two-01, one file for each section."""
