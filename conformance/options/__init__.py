"""Optional messages and transport properties: both roles of the tester, and their checks."""
