"""Fuzzes a device that runs elsewhere: a kernel in the lab's guest, or any server of a profile."""
