"""The binding that names what may not be reduced."""

from __future__ import annotations

from conformance.tester.server.misbound import Misbound
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.testprog import TestProgram


def test_names_the_last_octets_of_any_call_and_is_right_about_the_rest() -> None:
    real = TestProgram()
    binding = Misbound(real, 8)
    call = testprog_calls.echo(1, b"conformance!")
    (reply,) = binding.execute(call)

    assert binding.arguments(call) == (DataItem(len(call) - 8, 8),)
    assert binding.expectation(call) == real.expectation(call)
    assert binding.results(call, reply) == real.results(call, reply)
