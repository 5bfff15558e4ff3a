"""How a run on a fresh machine can fail, each as one sentence."""

from __future__ import annotations

__all__ = ["NotHere", "StepFailed"]


class NotHere(Exception):  # a lack of this machine's, not a fault
    """This machine cannot make a fresh one; the message says what it lacks."""


class StepFailed(Exception):  # the finding that the run is for
    """What the README promises did not happen on the fresh machine."""
