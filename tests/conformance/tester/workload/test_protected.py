from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.tester.workload import protected
from conformance.tester.workload.base import NullWorkload
from conformance.tester.workload.nfs3 import Nfs3Workload
from conformance.tester.workload.protected import SERVICES, Protection
from conformance.tester.workload.testprog import TestprogWorkload
from rpcrdma.ulp import gss, rpc, testprog_calls
from targets.base import Unsupported
from targets.registry import find_profile


@pytest.fixture
def protection() -> Protection:
    asked = protected.ask_for_context(TestprogWorkload())
    return asked.given_by(testprog_calls.expected_reply(asked.request.encode(1)))


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


@pytest.mark.parametrize("service", SERVICES)
def test_results_that_are_wrong_or_not_protected_are_told(
    protection: Protection, service: str
) -> None:
    plain = protected.exchange(TestprogWorkload(), 100)
    call = protection.of(plain, service).encode(5)
    found = gss.decode_gss_call(call)
    assert found is not None
    check = protection.of(plain, service).check
    unprotected = testprog_calls.expected_reply(found.unprotected())
    other = gss.protect_reply(found, testprog_calls.expected_reply(testprog_calls.null(5)))

    assert check(call, unprotected).startswith("the reply is not protected as its call is: ")
    assert "octets instead of" in check(call, other)
    assert check(found.unprotected(), unprotected) == "the call is not protected"


def test_a_failure_of_the_program_shows_only_where_results_are_as_they_are(
    protection: Protection,
) -> None:
    plain = replace(protected.exchange(TestprogWorkload(), 4), fails=lambda _reply: True)

    seen = {service: protection.of(plain, service).fails(b"") for service in SERVICES}

    assert seen == {"none": True, "integrity": False, "privacy": False}


def test_each_request_has_a_sequence_number_of_its_own(protection: Protection) -> None:
    plain = protected.exchange(TestprogWorkload(), 4)
    requests = [protection.of(plain, "none") for _ in range(2)]

    found = [gss.decode_gss_call(request.encode(5)) for request in requests]
    again = gss.decode_gss_call(requests[0].encode(6))

    assert [call.credential.seq_num for call in found if call is not None] == [1, 2]
    assert again is not None
    assert again.credential.seq_num == 1
    assert requests[0].encode(6) is again.octets


@pytest.mark.parametrize("binding", [NullWorkload, Nfs3Workload])
def test_another_program_has_no_context(binding: type[NullWorkload]) -> None:
    workload = binding(find_profile("linux-server-nfs3"))

    with pytest.raises(Unsupported, match="claims no Kerberos"):
        protected.ask_for_context(workload)
    with pytest.raises(Unsupported, match="claims no Kerberos"):
        protected.exchange(workload, 4)


def test_the_request_for_a_context_has_a_layer_that_knows_it() -> None:
    request = protected.ask_for_context(TestprogWorkload()).request
    call = request.encode(9)

    assert request.layer.arguments(call) == ()
    assert len(testprog_calls.expected_reply(call)) == request.layer.expectation(call).maximum
    assert rpc.decode_call(call)[0].xid == 9
