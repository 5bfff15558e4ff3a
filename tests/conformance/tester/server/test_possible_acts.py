"""Acts that no client of a profile can do."""

from __future__ import annotations

import msgspec
import pytest

from conformance.tester.server.possible_acts import OF_THE_TEST_PROGRAM, UNDER_GSS, require_possible
from targets.base import ActKind, Unsupported
from targets.profile import SHIPPED, Binding, load_profile

OWN = load_profile(SHIPPED / "reference-client.toml")
"""Of the suite's own program, which has a mechanism of the suite's own as well."""
NFS3 = msgspec.structs.replace(OWN, binding=Binding.NFS3)


@pytest.mark.parametrize("kind", ActKind)
def test_the_suites_own_program_has_calls_for_all(kind: ActKind) -> None:
    require_possible(kind, OWN)


@pytest.mark.parametrize("kind", sorted(OF_THE_TEST_PROGRAM))
def test_other_programs_have_not_what_it_alone_has(kind: ActKind) -> None:
    with pytest.raises(Unsupported, match=f"binding `nfs3` has no calls for `{kind.value}`"):
        require_possible(kind, NFS3)


@pytest.mark.parametrize("kind", sorted(UNDER_GSS))
def test_a_client_that_claims_no_kerberos_is_not_told_to_use_it(kind: ActKind) -> None:
    claims = msgspec.structs.replace(NFS3.claims, kerberos=True)

    with pytest.raises(Unsupported, match=r"claims no Kerberos \(`claims.kerberos`\)"):
        require_possible(kind, NFS3)
    require_possible(kind, msgspec.structs.replace(NFS3, claims=claims))
