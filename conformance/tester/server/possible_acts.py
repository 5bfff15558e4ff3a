"""Which acts a client need not do, and which no client of a profile can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from targets.base import ActKind, Unsupported
from targets.profile import Binding

if TYPE_CHECKING:
    from targets.profile import Profile

__all__ = ["OF_THE_TEST_PROGRAM", "OPTIONAL", "UNDER_GSS", "require_possible"]

OF_THE_TEST_PROGRAM: Final = frozenset(
    {
        ActKind.READ_OPTIONAL,
        ActKind.WRITE_OPTIONAL,
        ActKind.READ_ARRAY,
        ActKind.WRITE_ARRAY,
        ActKind.READ_ROWS,
        ActKind.WRITE_ROWS,
    }
)
"""Acts whose calls no other program has."""

UNDER_GSS: Final = frozenset(
    {
        ActKind.EXCHANGE_AUTHENTICATED,
        ActKind.EXCHANGE_INTEGRITY,
        ActKind.EXCHANGE_PRIVACY,
    }
)
"""Acts under RPCSEC_GSS."""

OPTIONAL: Final = frozenset(
    {
        ActKind.READ_AT,
        ActKind.READ_CACHED,
        ActKind.READ_MAPPED,
        ActKind.WRITE_AT,
        ActKind.WRITE_CACHED,
        ActKind.WRITE_MAPPED,
        ActKind.MAKE_LINK,
        ActKind.KEEP_LIST,
        ActKind.KEEP_ATTRIBUTE,
        ActKind.LIST_NAMES,
    }
)
"""Acts of clients with files: the cases that need one are N/A for a client that has it not."""


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
