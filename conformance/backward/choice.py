"""Which backward workload a profile's binding asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.backward.workload import TestprogBackward, new_identity
from targets.base import Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from conformance.backward.workload import BackwardWorkload
    from targets.profile import Profile

__all__ = ["backward_workload_for"]


def backward_workload_for(profile: Profile) -> BackwardWorkload:
    """The workload of a new client.

    Raises:
        Unsupported: the binding has none.
    """
    if profile.binding is Binding.TESTPROG:
        return TestprogBackward(new_identity())
    if profile.binding is Binding.NFS4:
        # Imported here because nobody else needs the generated NFSv4 codec.
        from conformance.backward.workload_nfs4 import Nfs4Backward

        return Nfs4Backward(profile)
    raise Unsupported(f"the binding `{profile.binding.value}` provokes no backward Calls")
