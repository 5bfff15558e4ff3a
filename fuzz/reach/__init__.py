"""What of the protocol library the kept corpora reach, branch by branch."""
