"""A Requester is made of the parts that it is given."""

from __future__ import annotations

from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts


class Rules(RequestRules):
    """Other rules."""


class Planner(CallPlanner):
    """Another planner."""


class Credits(Allowance):
    """Another allowance."""


def test_a_requester_is_made_of_its_parts() -> None:
    requester = Requester(None, RequesterParts(Rules, Planner, Credits))

    assert type(requester.rules) is Rules
    assert type(requester._planner) is Planner
    assert type(requester.allowance) is Credits


def test_the_reference_is_made_of_the_plain_ones() -> None:
    assert RequesterParts(RequestRules, CallPlanner, Allowance) == REQUESTER
