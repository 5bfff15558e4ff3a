"""Which acts no client of a profile can do: nothing it could call has what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.base import OF_THE_TEST_PROGRAM, UNDER_GSS, Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from targets.base import ActKind
    from targets.profile import Profile

__all__ = ["require_possible"]


def require_possible(kind: ActKind, profile: Profile) -> None:
    """See that an act can be asked for.

    The suite's own program has RPCSEC_GSS without a realm, and items that no other program has.

    Raises:
        Unsupported: the binding has no such calls, or they take Kerberos, which is not claimed.
    """
    if profile.binding is Binding.TESTPROG:
        return
    if kind in OF_THE_TEST_PROGRAM:
        raise Unsupported(f"the binding `{profile.binding.value}` has no calls for `{kind.value}`")
    if kind in UNDER_GSS and not profile.claims.kerberos:
        raise Unsupported(
            "the profile claims no Kerberos (`claims.kerberos`), so that the client makes no"
            f" calls for `{kind.value}`"
        )
