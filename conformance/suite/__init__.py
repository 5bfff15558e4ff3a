"""Runs the suite: pytest plugin, fixtures, runner, parallel runs, the lab guest's side."""
