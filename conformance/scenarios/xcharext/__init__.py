"""Scenarios for draft-dnoveck-nfsv4-rpcrdma-xcharext-03, one file for each section."""
