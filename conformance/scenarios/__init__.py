"""The scenarios, one folder for each document."""
