"""Settings for all tests of the project.

Property tests are derandomised, so that a run of CI says the same twice; `HYPOTHESIS_PROFILE=night`
explores with a fresh seed, which hypothesis prints when something fails.
"""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline for an example: how long one takes is a benchmark's business, not a test's.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("night", deadline=None, max_examples=5000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
