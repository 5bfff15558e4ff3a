"""The bindings that name what may not be reduced."""

from __future__ import annotations

from conformance.tester.server.misbound import Divided, Misbound
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


def test_names_whatever_parts_of_a_call_it_is_told() -> None:
    binding = Divided(TestProgram(), lambda call: (DataItem(0, len(call)),))

    assert binding.arguments(bytes(40)) == (DataItem(0, 40),)
