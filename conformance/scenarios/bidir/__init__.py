"""Scenarios of draft-ietf-nfsv4-rpcrdma-bidirection-01."""
