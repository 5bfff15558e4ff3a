from __future__ import annotations

import pytest

from conformance.tester.workload import protected
from conformance.tester.workload.base import NullWorkload
from conformance.tester.workload.protected import SERVICES, Protection
from conformance.tester.workload.testprog import TestprogWorkload
from rpcrdma.ulp import gss, testprog_calls
from targets.base import Unsupported
from targets.registry import find_profile


@pytest.fixture
def protection() -> Protection:
    call = protected.ask_for_context(TestprogWorkload()).encode(1)
    return Protection.given_by(testprog_calls.expected_reply(call))


@pytest.mark.parametrize("service", SERVICES)
def test_request_is_the_same_under_a_service(protection: Protection, service: str) -> None:
    plain = protected.exchange(TestprogWorkload(), 100)

    request = protection.of(plain, service)

    call = gss.decode_gss_call(request.encode(5))
    assert call is not None
    assert call.service is SERVICES[service]
    assert call.unprotected() == plain.encode(5)
    assert request.check(call.octets, testprog_calls.expected_reply(call.octets)) == ""
    assert request.title == f"EXCHANGE of 100 octets under RPCSEC_GSS with {service}"


def test_each_request_has_a_sequence_number_of_its_own(protection: Protection) -> None:
    plain = protected.exchange(TestprogWorkload(), 4)
    requests = [protection.of(plain, "none") for _ in range(2)]

    found = [gss.decode_gss_call(request.encode(5)) for request in requests]
    again = gss.decode_gss_call(requests[0].encode(6))

    assert [call.credential.seq_num for call in found if call is not None] == [1, 2]
    assert again is not None
    assert again.credential.seq_num == 1


def test_another_program_has_no_context() -> None:
    workload = NullWorkload(find_profile("reference"))

    with pytest.raises(Unsupported, match="Kerberos realm"):
        protected.ask_for_context(workload)
    with pytest.raises(Unsupported, match="Kerberos realm"):
        protected.exchange(workload, 4)
