"""Which workload a profile's binding asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.tester.workload.base import NullWorkload
from conformance.tester.workload.testprog import TestprogWorkload
from targets.profile import Binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.workload.base import Workload
    from rpcrdma.ulp.gss_context import GssInitiator
    from targets.profile import Profile

__all__ = ["workload_for"]


def workload_for(
    profile: Profile, initiator: Callable[[], GssInitiator | None] = lambda: None
) -> Workload:
    """The workload of a profile's binding.

    Args:
        profile: of the device.
        initiator: gives what makes contexts of RPCSEC_GSS with the device that runs now.
    """
    match profile.binding:
        case Binding.TESTPROG:
            return TestprogWorkload()
        case Binding.NFS4:
            # Imported here because nobody else needs the generated NFSv4 codec.
            from conformance.tester.workload.nfs4 import Nfs4Workload

            return Nfs4Workload(profile)
        case Binding.NFS3:
            from conformance.tester.workload.nfs3 import Nfs3Workload  # likewise

            return Nfs3Workload(profile, initiator)
        case Binding.NULL_ONLY:
            return NullWorkload(profile)
