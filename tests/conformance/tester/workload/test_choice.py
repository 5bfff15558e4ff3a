"""Each binding of a profile has a workload."""

from __future__ import annotations

import msgspec
import pytest

from conformance.tester.workload.base import NullWorkload
from conformance.tester.workload.choice import workload_for
from conformance.tester.workload.nfs3 import Nfs3Workload
from conformance.tester.workload.nfs4 import Nfs4Workload
from conformance.tester.workload.testprog import TestprogWorkload
from targets.profile import Binding
from targets.registry import find_profile

KINDS = {
    Binding.TESTPROG: TestprogWorkload,
    Binding.NFS4: Nfs4Workload,
    Binding.NFS3: Nfs3Workload,
    Binding.NULL_ONLY: NullWorkload,
}


@pytest.mark.parametrize("binding", Binding)
def test_every_binding_has_its_workload(binding: Binding) -> None:
    profile = msgspec.structs.replace(find_profile("linux-server"), binding=binding)

    assert type(workload_for(profile)) is KINDS[binding]
