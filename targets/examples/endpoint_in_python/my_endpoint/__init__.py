"""An endpoint of your own, as a target of the suite."""
