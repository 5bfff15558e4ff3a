"""A branch and a module that the tests of the page and of the explanations are about."""

from __future__ import annotations

from fuzz.reach.branches import ReachedModule, Unreached

DRIVER = "endpoint.core.driver"
BRANCH = Unreached(DRIVER, "Driver.wait", "if self.gone:", "return False", came=True)
OTHER = Unreached(DRIVER, "Driver.close", "if x:", "leave the function", came=False)
MODULE = ReachedModule(DRIVER, 20, 18, 10, 8, (BRANCH, OTHER))
WIRE = ReachedModule("wire._generated_v2", 5, 5, 4, 4, ())
