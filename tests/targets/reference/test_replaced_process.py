"""The reference's ends with other parts, in processes of their own."""

from __future__ import annotations

import pytest

from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from targets.base import TargetError
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_process import be
from targets.reference.server_parts import Parts
from targets.registry import find_any_target

GRANTS = "rfc8166/3.3.1/responder-never-grants-zero-credits[0]"
REQUESTS = "rfc8166/3.3.1/requester-requests-credits-in-every-call"


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "case", "verdict"),
    [
        ("mutant:grants-zero", GRANTS, Verdict.FAIL),
        ("variant:grants-one-credit", GRANTS, Verdict.PASS),
        ("mutant:requests-no-credits", REQUESTS, Verdict.WARN),
        ("variant:requests-one-credit", REQUESTS, Verdict.PASS),
    ],
)
def test_an_end_over_packets_has_the_parts_of_its_name(
    target: str, case: str, verdict: Verdict
) -> None:
    records = judge(find_any_target(target, "roce"), Selection(cases=(case,)))

    assert {record.verdict for record in records} == {verdict}


@pytest.mark.parametrize(
    ("role", "parts"), [("server", ClientParts()), ("client", Parts())], ids=["server", "client"]
)
def test_a_name_is_of_one_role(role: str, parts: Parts | ClientParts) -> None:
    with pytest.raises(TargetError, match=f"`odd` is no {role}"):
        be([role, "odd"], lambda name: parts)
