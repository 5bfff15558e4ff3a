"""Tests mirror the modules, file for file, so that whoever reads one finds the other.

`rpcrdma/X/name.py` has `tests/X/test_name.py`; a module of another package has it under the name of
that package, `tests/conformance/oracle/test_backward.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("rpcrdma", "reports", "targets", "conformance", "fuzz")

NOT_PAIRED = ("conformance/scenarios/",)
"""Cases are proved by mutants and variants, each by the whole suite."""

ABOUT_NO_MODULE = (
    "tests/lab/",
    "tests/fresh/",
    "tests/browser/",
    "tests/fabric_contract/",
    "tests/withheld/",
)
"""Folders of tests about whole machines, about pages in a browser, about what every fabric does,
and of those that need what a release may be without."""

REPLACEMENTS = {
    "targets/examples/": "tests/targets/examples/test_examples.py",
    "targets/leaks/": "tests/targets/leaks/test_leaks.py",
    "targets/mutants/": "tests/targets/mutants/test_mutants.py",
    "targets/variants/": "tests/targets/variants/test_variants.py",
}
"""Folders of which one test tries all that is in them."""

IN_ONE = tuple(REPLACEMENTS)

LAB = "tests/lab/test_fabric_contract.py"
PARTS = "tests/targets/mutants/test_mutants.py"
CODEC = "tests/xdr/test_emit_codec.py"

COVERED_ELSEWHERE = {
    "conformance/backward/choice.py": "tests/conformance/backward/test_workload.py",
    "conformance/bad_input.py": "tests/conformance/cli/test_main.py",
    "conformance/explore/application.py": "tests/conformance/explore/test_machine.py",
    "conformance/explore/calls.py": "tests/conformance/explore/test_requester_world.py",
    "conformance/explore/exchange.py": "tests/conformance/explore/test_machine.py",
    "conformance/explore/loopback_world.py": "tests/conformance/explore/test_machine.py",
    "conformance/explore/recipes.py": "tests/conformance/explore/test_finding.py",
    "conformance/explore/sequences.py": "tests/conformance/explore/test_explore.py",
    "conformance/explore/shots.py": "tests/conformance/explore/test_firing.py",
    "conformance/groups/receiving.py": "tests/conformance/groups/test_answers.py",
    "conformance/options/client.py": "tests/conformance/options/test_tester.py",
    "conformance/options/server.py": "tests/conformance/options/test_tester.py",
    "conformance/groups/taken.py": "tests/conformance/groups/test_server.py",
    "conformance/oracle/requester/credits.py": "tests/conformance/oracle/requester/test_calls.py",
    "conformance/oracle/requester/framing.py": "tests/conformance/oracle/requester/test_calls.py",
    "conformance/oracle/responder/group_request.py": (
        "tests/conformance/oracle/responder/test_directions.py"
    ),
    "conformance/oracle/responder/calls.py": (
        "tests/conformance/oracle/responder/test_expectation.py"
    ),
    "conformance/suite/worker.py": "tests/conformance/suite/test_parallel.py",
    "conformance/tester/acceptance.py": "tests/conformance/proof/test_comparison.py",
    "conformance/tester/sent.py": "tests/conformance/tester/client/test_build.py",
    "conformance/tester/workload/base.py": "tests/conformance/tester/workload/test_nfs3.py",
    "conformance/tester/workload/testprog.py": "tests/conformance/tester/client/test_build.py",
    "fuzz/ends_application.py": "tests/fuzz/harnesses/test_ends.py",
    "fuzz/ends_world.py": "tests/fuzz/harnesses/test_ends.py",
    "fuzz/fed_link.py": "tests/fuzz/harnesses/test_roce_device.py",
    "fuzz/fuzzed_device.py": "tests/fuzz/harnesses/test_roce_device.py",
    "fuzz/live/server/dangers.py": "tests/fuzz/live/server/test_moves.py",
    "fuzz/planted.py": "tests/fuzz/harnesses/test_v1_responder.py",
    "fuzz/planted_ends.py": "tests/fuzz/harnesses/test_ends.py",
    "fuzz/planted_readers.py": "tests/fuzz/harnesses/test_readers.py",
    "fuzz/planted_roce.py": "tests/fuzz/harnesses/test_roce_device.py",
    "fuzz/played_hosts.py": "tests/fuzz/harnesses/test_roce_device.py",
    "reports/pages/background.py": "tests/conformance/cli/test_background.py",
    "reports/record.py": "tests/reports/test_stream.py",
    "rpcrdma/endpoint/core/actions.py": "tests/endpoint/core/test_driver.py",
    "rpcrdma/endpoint/core/events.py": "tests/endpoint/core/test_driver.py",
    "rpcrdma/endpoint/core/message_form.py": "tests/endpoint/requester/test_plan.py",
    "rpcrdma/endpoint/properties/judgements.py": "tests/endpoint/properties/test_rules.py",
    "rpcrdma/endpoint/properties/messages.py": "tests/endpoint/properties/test_exchange.py",
    "rpcrdma/endpoint/requester/outgoing.py": "tests/endpoint/requester/test_request_rules.py",
    "rpcrdma/fabric/base.py": "tests/fabric/test_loopback.py",
    "rpcrdma/fabric/completion.py": "tests/fabric/test_loopback_connection.py",
    "rpcrdma/fabric/cm.py": LAB,
    "rpcrdma/fabric/rdmacm_types.py": "tests/fabric/test_rdmacm.py",
    "rpcrdma/fabric/verbs_connection.py": LAB,
    "rpcrdma/fabric/verbs_memory.py": LAB,
    "rpcrdma/fabric/verbs_queue.py": LAB,
    "rpcrdma/fabric/verbs_work.py": LAB,
    "rpcrdma/ulp/gss_context.py": "tests/ulp/test_gss_mechanism.py",
    "rpcrdma/roce/transport/attributes.py": "tests/roce/transport/test_queue_pair.py",
    "rpcrdma/ulp/nfs4_attribute_table.py": "tests/ulp/test_nfs4_attributes.py",
    "rpcrdma/xdr/emit_decoder.py": CODEC,
    "rpcrdma/xdr/emit_encoder.py": CODEC,
    "rpcrdma/xdr/emit_shortest.py": CODEC,
    "rpcrdma/xdr/model.py": "tests/xdr/test_resolve.py",
    "rpcrdma/xdr/runs.py": CODEC,
    "rpcrdma/xdr/straight.py": CODEC,
    "rpcrdma/xdr/syntax.py": "tests/xdr/test_parse.py",
    "targets/lab/errors.py": "tests/targets/lab/test_step.py",
    "targets/upper_tester/place.py": "tests/targets/upper_tester/test_local_place.py",
    "targets/reference/client_parts.py": PARTS,
    "rpcrdma/roce/parts.py": "tests/roce/test_network.py",
    "rpcrdma/roce/settings.py": "tests/roce/test_fabric.py",
    "targets/reference/device_process.py": "tests/lab/test_reference.py",
    "targets/reference/replaced_parts.py": PARTS,
    "targets/reference/server_parts.py": PARTS,
    "targets/reference/server_process.py": "tests/targets/reference/test_server.py",
}
"""A module without a test file of its own -> the one that tests it."""

STRAY = {
    "tests/conformance/suite/test_section_end_renewals.py": "conformance/suite/section_end.py",
    "tests/conformance/tester/server/test_harness_deaths.py": (
        "conformance/tester/server/harness.py"
    ),
    "tests/benchmarks/test_fuzzing_parts.py": "benchmarks/fuzzing_parts.py",
    "tests/documentation/test_implementations.py": "documentation/implementations.py",
    "tests/documentation/test_links.py": "documentation/links.py",
    "tests/documentation/test_pages.py": "documentation/pages.py",
    "tests/documentation/test_pictures.py": "documentation/pictures.py",
    "tests/documentation/test_profile_keys.py": "documentation/profile_keys.py",
    "tests/benchmarks/test_roundtrip_plot.py": "benchmarks/roundtrip_plot.py",
    "tests/benchmarks/test_roundtrips.py": "benchmarks/roundtrips.py",
    "tests/endpoint/ends/test_exchange.py": "two ends together",
    "tests/endpoint/properties/test_exchange_reductions.py": (
        "rpcrdma/endpoint/properties/exchange.py"
    ),
    "tests/endpoint/ends/test_group_ends.py": "two ends together",
    "tests/endpoint/properties/test_exchange_requests.py": (
        "rpcrdma/endpoint/properties/exchange.py"
    ),
    "tests/endpoint/properties/test_property_exchange.py": "two ends together",
    "tests/endpoint/test_group_machine.py": "two ends together",
    "tests/endpoint/requester/test_requester_memory.py": "rpcrdma/endpoint/requester/requester.py",
    "tests/endpoint/responder/test_responder_order.py": "rpcrdma/endpoint/responder/responder.py",
    "tests/fuzz/parsers/test_examples.py": "targets/examples/parsers/parser.c",
    "tests/roce/test_bad_frames.py": "rpcrdma/roce/device.py",
    "tests/roce/cm/test_manager_losses.py": "rpcrdma/roce/cm/manager.py",
    "tests/roce/cm/test_two_managers.py": "two ends together",
    "tests/roce/transport/test_queue_pair_faults.py": "rpcrdma/roce/transport/queue_pair.py",
    "tests/roce/transport/test_requester_reads.py": "rpcrdma/roce/transport/requester.py",
    "tests/targets/examples/test_examples.py": "all examples",
    "tests/targets/examples/test_nfs_ganesha.py": "targets/examples/nfs-ganesha/build.py",
    "tests/targets/mutants/test_mutants.py": "all mutants",
    "tests/targets/leaks/test_leaks.py": "all leaks",
    "tests/targets/variants/test_variants.py": "all variants",
    "tests/targets/profiles/test_linux_client_script.py": "a script in Perl",
    "tests/ulp/test_nfs4_reply_sizes.py": "rpcrdma/ulp/nfs_bindings.py",
    "tests/ulp/test_nfs_bindings_nfs3.py": "rpcrdma/ulp/nfs_bindings.py",
    "tests/wire/test_examples.py": "whole messages, octet by octet",
}
"""A test file that mirrors no module -> the module whose tests have a second file, or what it is
about."""


def modules() -> set[str]:
    """The modules that somebody has written and that do something."""
    found = (
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__init__.py" and not path.name.startswith("_generated_")
    )
    return {path for path in found if not path.startswith(NOT_PAIRED)}


def files() -> set[str]:
    """The test files but for those that are about the project as a whole."""
    found = (path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    return {path for path in found if path.count("/") > 1 and not path.startswith(ABOUT_NO_MODULE)}


def mirror(module: str) -> str:
    """Where the tests of a module are."""
    folder, _, name = module.removeprefix("rpcrdma/").removesuffix(".py").rpartition("/")
    return "/".join(filter(None, ("tests", folder, f"test_{name.strip('_')}.py")))


def unpaired(module: str) -> bool:
    return not (ROOT / mirror(module)).is_file()


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("rpcrdma/errors.py", "tests/test_errors.py"),
        ("rpcrdma/xdr/__main__.py", "tests/xdr/test_main.py"),
        ("conformance/oracle/backward.py", "tests/conformance/oracle/test_backward.py"),
    ],
)
def test_tests_have_the_folders_of_the_modules(module: str, expected: str) -> None:
    assert mirror(module) == expected


def test_every_module_has_its_tests() -> None:
    lonely = {module for module in modules() if unpaired(module)}

    assert {
        module for module in lonely - set(COVERED_ELSEWHERE) if not module.startswith(IN_ONE)
    } == set(), "write the test file, named after the module"


def test_every_test_file_has_its_module() -> None:
    mirrors = {mirror(module) for module in modules()}

    assert files() - mirrors - set(STRAY) == set(), "name it after the module that it is about"


def test_no_exception_is_stale() -> None:
    """Whoever writes the missing file strikes out the exception: the lists only get shorter."""
    lonely = {module for module in modules() if unpaired(module)}
    mirrors = {mirror(module) for module in modules()}

    assert set(COVERED_ELSEWHERE) - lonely == set()
    assert set(STRAY) - (files() - mirrors) == set()


def test_every_exception_names_a_file_that_is_there() -> None:
    """A test file, or a module; what has no slash is what a test is about, in words."""
    named = {*COVERED_ELSEWHERE.values(), *REPLACEMENTS.values()}
    named |= {about for about in STRAY.values() if "/" in about}

    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
