"""Scenarios for draft-dnoveck-nfsv4-rpcrdma-rtrext-01, one file for each section."""
