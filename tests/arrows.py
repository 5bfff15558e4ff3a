"""Which room imports from which: the arrows that `tests/test_layers.py` holds the project to.

A room is a folder, or a single file where one stands beside folders.  There is one entry for each
arrow between rooms, whether it is followed at run time or for types alone.
"""

from __future__ import annotations

ARROWS: dict[str, set[str]] = {
    room: set(imports.split())
    for room, imports in {
        "rpcrdma": "",
        "rpcrdma.errors": "",
        "rpcrdma.xdr": "rpcrdma.errors",
        "rpcrdma.wire": "rpcrdma.errors rpcrdma.xdr",
        "rpcrdma.ulp": "rpcrdma.errors rpcrdma.xdr rpcrdma.wire",
        "rpcrdma.fabric": "rpcrdma.errors",
        "rpcrdma.roce": (
            "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet rpcrdma.roce.transport "
            "rpcrdma.roce.cm rpcrdma.roce.link"
        ),
        "rpcrdma.roce.packet": "rpcrdma.errors",
        "rpcrdma.roce.transport": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "rpcrdma.roce.cm": "rpcrdma.errors rpcrdma.roce.packet",
        "rpcrdma.roce.link": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "rpcrdma.endpoint.core": "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric",
        "rpcrdma.endpoint.properties": "rpcrdma.errors rpcrdma.wire rpcrdma.endpoint.core",
        "rpcrdma.endpoint.requester": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties"
        ),
        "rpcrdma.endpoint.responder": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric "
            "rpcrdma.endpoint.core rpcrdma.endpoint.properties"
        ),
        "rpcrdma.endpoint.backward": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties rpcrdma.endpoint.requester rpcrdma.endpoint.responder"
        ),
        "rpcrdma.endpoint.negotiation": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.endpoint.core rpcrdma.endpoint.properties "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.backward"
        ),
        "rpcrdma.endpoint.ends": (
            "rpcrdma.errors rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.backward"
        ),
        "rpcrdma.endpoint": (
            "rpcrdma.endpoint.core rpcrdma.endpoint.requester rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.ends"
        ),
        "reports": "",
        "reports.record": "",
        "reports.printable": "",
        "reports.described": "",
        "reports.evidence_digest": "",
        "reports.stream": "reports.printable reports.record",
        "reports.baseline": "reports.record",
        "reports.baseline_file": "reports.record reports.baseline",
        "reports.summary": "reports.record reports.baseline",
        "reports.totals": "reports.record reports.summary",
        "reports.sentence": "reports.record reports.baseline reports.summary reports.totals",
        "reports.statement": "reports.record reports.summary reports.totals reports.sentence",
        "reports.capture": "rpcrdma.errors rpcrdma.fabric rpcrdma.roce.packet",
        "reports.render": (
            "reports.described reports.printable reports.record reports.baseline "
            "reports.summary reports.statement"
        ),
        "reports.compare": (
            "reports.record reports.baseline reports.baseline_file reports.summary reports.render"
        ),
        "reports.pages": (
            "reports.record reports.baseline reports.summary reports.totals reports.sentence "
            "reports.render reports.compare"
        ),
        "reports.folder": ("reports.record reports.baseline reports.render reports.pages"),
        "targets": "",
        "targets.base": "rpcrdma.ulp rpcrdma.fabric targets.profile",
        "targets.profile": "rpcrdma.wire targets.base targets.acts targets.profile_lab",
        "targets.profile_lab": "",
        "targets.acts": "targets.base",
        "targets.profile_keys": "reports.described targets.base targets.profile targets.acts",
        "targets.profile_draft": "targets.profile_keys",
        "targets.profile_problems": "targets.base targets.profile targets.acts targets.registry",
        "targets.device_address": "rpcrdma.errors",
        "targets.python_path": "",
        "targets.endings": "",
        "targets.fabrics": (
            "rpcrdma.errors rpcrdma.fabric rpcrdma.roce rpcrdma.roce.link targets.profile "
            "targets.device_address targets.python_path"
        ),
        "targets.in_process": "rpcrdma.fabric rpcrdma.roce targets.base targets.usage",
        "targets.ping": "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric",
        "targets.tested_versions": "",
        "targets.lab": (
            "rpcrdma.ulp targets.profile targets.device_address targets.fabrics "
            "targets.python_path targets.tested_versions targets.endings targets.usage"
        ),
        "targets.standing": (
            "rpcrdma.ulp targets.base targets.profile targets.python_path targets.lab targets.usage"
        ),
        "targets.kerberos": "rpcrdma.errors rpcrdma.ulp targets.base targets.lab targets.standing",
        "targets.host_server": (
            "rpcrdma.errors rpcrdma.fabric targets.profile targets.lab targets.ping targets.usage"
        ),
        "targets.network": (
            "rpcrdma.fabric targets.base targets.profile targets.fabrics targets.lab "
            "targets.host_server targets.usage"
        ),
        "targets.reference": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.transport rpcrdma.endpoint.core rpcrdma.endpoint.properties "
            "rpcrdma.endpoint.requester rpcrdma.endpoint.responder rpcrdma.endpoint.backward "
            "rpcrdma.endpoint.negotiation rpcrdma.endpoint.ends targets.base targets.profile "
            "targets.fabrics targets.in_process targets.endings targets.usage"
        ),
        "targets.nfs": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.ends targets.base targets.reference"
        ),
        "targets.upper_tester": (
            "rpcrdma.ulp rpcrdma.fabric targets.base targets.profile targets.acts "
            "targets.endings targets.fabrics targets.lab targets.nfs targets.usage"
        ),
        "targets.shared": "targets.base targets.profile",
        "targets.guest_share": (
            "rpcrdma.fabric rpcrdma.roce rpcrdma.roce.link targets.profile targets.lab "
            "targets.standing targets.network targets.shared"
        ),
        "targets.guest_client": (
            "rpcrdma.ulp rpcrdma.fabric rpcrdma.roce targets.base targets.profile targets.lab "
            "targets.standing targets.upper_tester targets.guest_share targets.kerberos "
            "targets.usage"
        ),
        "targets.guest_device": (
            "rpcrdma.errors rpcrdma.ulp rpcrdma.fabric rpcrdma.roce targets.base "
            "targets.profile targets.lab targets.standing targets.host_server targets.network "
            "targets.nfs targets.guest_share targets.guest_client targets.kerberos targets.usage"
        ),
        "targets.placed": (
            "targets.base targets.lab targets.network targets.standing targets.guest_device"
        ),
        "targets.leaks": (
            "rpcrdma.wire rpcrdma.fabric rpcrdma.endpoint.core rpcrdma.endpoint.requester "
            "rpcrdma.endpoint.responder targets.base targets.profile targets.reference "
            "targets.usage"
        ),
        "targets.usage": "",
        "targets.mutants": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.packet rpcrdma.roce.transport rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties rpcrdma.endpoint.requester rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.negotiation targets.base targets.profile "
            "targets.reference"
        ),
        "targets.variants": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric "
            "rpcrdma.endpoint.core rpcrdma.endpoint.properties rpcrdma.endpoint.requester "
            "rpcrdma.endpoint.responder rpcrdma.endpoint.backward rpcrdma.endpoint.negotiation "
            "targets.base targets.profile targets.reference"
        ),
        "targets.examples": (
            "rpcrdma.fabric rpcrdma.endpoint.ends targets.base targets.profile targets.fabrics "
            "targets.lab targets.python_path targets.reference"
        ),
        "targets.registry": (
            "targets.base targets.profile targets.network targets.upper_tester targets.mutants "
            "targets.variants targets.leaks"
        ),
        "conformance": "",
        "conformance.bad_input": "",
        "conformance.strategies": "rpcrdma.xdr rpcrdma.wire",
        "conformance.catalogue": "reports.record conformance.bad_input",
        "conformance.oracle": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.catalogue"
        ),
        "conformance.oracle.responder": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.catalogue "
            "conformance.oracle"
        ),
        "conformance.oracle.requester": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp reports.record conformance.oracle "
            "conformance.oracle.responder"
        ),
        "conformance.tester": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce.packet "
            "rpcrdma.roce.link reports.record targets.base targets.profile conformance.oracle "
            "conformance.oracle.responder targets.usage"
        ),
        "conformance.tester.workload": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile targets.nfs "
            "conformance.tester"
        ),
        "conformance.tester.client": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base "
            "targets.profile conformance.oracle conformance.oracle.responder conformance.tester "
            "conformance.tester.workload"
        ),
        "conformance.tester.server": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base targets.profile "
            "conformance.oracle conformance.oracle.requester conformance.tester"
        ),
        "conformance.verify": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric reports.record targets.base "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.oracle.requester conformance.tester conformance.tester.client "
            "conformance.tester.server targets.usage"
        ),
        "conformance.backward": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile "
            "conformance.catalogue conformance.oracle conformance.tester "
            "conformance.tester.client conformance.tester.server conformance.verify"
        ),
        "conformance.options": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base targets.profile "
            "conformance.catalogue conformance.oracle conformance.tester "
            "conformance.tester.client conformance.tester.server conformance.verify"
        ),
        "conformance.groups": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp targets.base conformance.catalogue "
            "conformance.oracle conformance.oracle.requester conformance.oracle.responder "
            "conformance.tester conformance.tester.client conformance.tester.server "
            "conformance.verify"
        ),
        "conformance.scenarios": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric targets.base "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.tester conformance.tester.workload conformance.tester.client "
            "conformance.tester.server conformance.verify conformance.backward "
            "conformance.options conformance.groups"
        ),
        "conformance.suite": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric reports.printable "
            "reports.record reports.stream reports.capture reports.render targets.base "
            "targets.profile targets.lab targets.network targets.shared targets.registry "
            "conformance.catalogue conformance.oracle conformance.tester "
            "conformance.tester.workload conformance.tester.client conformance.tester.server "
            "conformance.options conformance.groups conformance.scenarios targets.usage"
        ),
        "conformance.explore": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric "
            "rpcrdma.endpoint.core rpcrdma.endpoint.properties rpcrdma.endpoint.requester "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.negotiation rpcrdma.endpoint.ends "
            "reports.printable reports.record targets.base targets.profile targets.reference "
            "conformance.bad_input conformance.catalogue conformance.oracle "
            "conformance.oracle.responder conformance.oracle.requester conformance.tester "
            "conformance.tester.workload conformance.tester.client conformance.tester.server "
            "conformance.backward"
        ),
        "conformance.proof": (
            "rpcrdma.wire rpcrdma.fabric reports.record reports.summary targets.base targets.lab "
            "targets.mutants targets.variants targets.registry conformance.bad_input "
            "conformance.catalogue conformance.oracle conformance.oracle.responder "
            "conformance.tester conformance.tester.client conformance.tester.server "
            "conformance.backward conformance.suite"
        ),
        "conformance.nightly": (
            "reports.printable reports.record reports.stream reports.baseline reports.summary "
            "reports.render targets.profile targets.lab targets.registry conformance.bad_input "
            "conformance.explore"
        ),
        "conformance.cli": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.fabric reports.printable "
            "reports.record reports.stream reports.baseline reports.baseline_file reports.summary "
            "reports.capture reports.render reports.compare reports.pages reports.folder "
            "reports.evidence_digest reports.statement "
            "targets.base targets.profile targets.fabrics "
            "targets.ping targets.lab targets.standing targets.reference targets.placed "
            "targets.mutants targets.variants targets.registry targets.profile_keys "
            "targets.profile_draft targets.profile_problems conformance.bad_input "
            "conformance.catalogue conformance.tester conformance.tester.client "
            "conformance.suite conformance.explore conformance.nightly conformance.proof "
            "targets.leaks"
        ),
        "fuzz": (
            "rpcrdma.errors rpcrdma.xdr rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.roce "
            "rpcrdma.roce.packet rpcrdma.roce.transport rpcrdma.roce.cm rpcrdma.roce.link "
            "rpcrdma.endpoint.core rpcrdma.endpoint.requester rpcrdma.endpoint.responder "
            "rpcrdma.endpoint.backward rpcrdma.endpoint.ends rpcrdma.endpoint.negotiation "
            "rpcrdma.endpoint.properties "
            "reports.printable reports.record reports.stream reports.summary reports.capture "
            "reports.pages "
            "targets.base targets.profile targets.fabrics targets.python_path "
            "targets.tested_versions targets.lab "
            "targets.reference targets.variants targets.placed targets.guest_device "
            "targets.standing "
            "targets.registry conformance.bad_input "
            "conformance.oracle conformance.oracle.requester "
            "conformance.oracle.responder conformance.tester conformance.tester.client "
            "conformance.tester.server conformance.backward "
            "conformance.suite conformance.explore"
        ),
        "benchmarks": (
            "rpcrdma.errors rpcrdma.wire rpcrdma.ulp rpcrdma.fabric rpcrdma.endpoint.core "
            "rpcrdma.endpoint.properties rpcrdma.endpoint.ends targets.base targets.fabrics "
            "targets.in_process targets.lab targets.reference fuzz"
        ),
        "documentation": (
            "conformance.bad_input conformance.catalogue conformance.cli conformance.proof "
            "conformance.nightly conformance.suite targets.mutants targets.profile_keys "
            "reports.pages"
        ),
    }.items()
}
"""Room -> the rooms that it imports from."""
