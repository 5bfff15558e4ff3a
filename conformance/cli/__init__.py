"""The command line `rpcrdma`: one file for each command."""
