"""The backward direction: both roles of the tester for cases about backward Calls."""
