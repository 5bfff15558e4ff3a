"""Of what a Requester is put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.group_plan import GroupPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules

__all__ = ["REQUESTER", "RequesterParts"]


@dataclass(frozen=True, slots=True)
class RequesterParts:
    """The classes of which a Requester is put together; a mutant replaces one of them.

    Attributes:
        rules: what goes into a call.
        planner: the choice of its form, and the memory that is offered.
        allowance: how many calls may be in flight.
        groups: which calls are transmission groups, and what they provide for their responses.
    """

    rules: type[RequestRules] = RequestRules
    planner: type[CallPlanner] = CallPlanner
    allowance: type[Allowance] = Allowance
    groups: type[GroupPlanner] = GroupPlanner


REQUESTER: Final = RequesterParts()
"""The reference itself."""
