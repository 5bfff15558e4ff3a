"""The mutants: how they are registered, and that each is killed."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

import targets.mutants
from conformance.catalogue.entries import Role, Testability, load_catalogue
from conformance.proof.kills import read_kills
from conformance.proof.matrix import run_mutant
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.negotiation.client import NegotiatingClient
from rpcrdma.endpoint.negotiation.table import NegotiationRules
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.retransmission import Retransmission
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.transport.requester import TransportRequester
from rpcrdma.roce.transport.responder import TransportResponder
from targets.base import TargetError
from targets.mutants import base
from targets.mutants.base import (
    find_client_parts,
    find_mutant,
    find_responder_parts,
    mutant,
    mutant_target,
    mutants,
    registered,
)
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts
from targets.reference.replaced_parts import Registry
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.proof.kills import Kill

ALL = mutants()
ANY = "rfc8166.3.3.1.grant-is-never-zero"


@pytest.fixture
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_registry", Registry(targets.mutants, "mutant"))


def no_grant(self: ReplyRules, requested: int, posted: int) -> int:
    return 0


@pytest.mark.usefixtures("_own_registry")
def test_registers_a_class_under_its_name_in_kebab_case() -> None:
    @mutant(breaks=ANY, also_trips={"rfc8166.4": "of this", "rfc8166.3": "of that"})
    class GrantsACredit(ReplyRules):
        """Grants
        a credit."""

        grant = no_grant

    (found,) = registered()
    assert found.slug == "grants-a-credit"
    assert found.deviation == "Grants a credit."
    assert found.parts == Parts(replies=GrantsACredit)
    assert found.explanation("rfc8166.4.5.x") == ("rfc8166.4", "of this")
    assert found.explanation("rfc8166.5.x") is None


@pytest.mark.usefixtures("_own_registry")
def test_an_id_is_explained_before_its_section() -> None:
    mutant(breaks=ANY, also_trips={"rfc8166.4.5.": "of this", "rfc8166.4.5.x": "of that"})(
        type("Odd", (ReplyRules,), {"__doc__": "Odd.", "grant": no_grant})
    )

    found = find_in_registry("odd")
    assert found.explanation("rfc8166.4.5.x") == ("rfc8166.4.5.x", "of that")
    assert found.explanation("rfc8166.4.5.y") == ("rfc8166.4.5.", "of this")


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize("ids", ["", "r", "rfc8166", "rfc8166.", "v2.", "bidir.", "xcharext."])
def test_refuses_an_explanation_of_a_whole_document(ids: str) -> None:
    whatever = {ids: "whatever"}
    names_none = re.escape(f"`{ids}` names no section of a document")

    with pytest.raises(ValueError, match=names_none):
        mutant(breaks=ANY, also_trips=whatever)
    with pytest.raises(ValueError, match=names_none):
        mutant(breaks=ANY, roles=("responder",), trips_at={"responder": whatever})


@pytest.mark.usefixtures("_own_registry")
def test_what_one_end_alone_trips_is_explained_there_alone() -> None:
    broken = type("Broken", (PropertyRules,), {"__doc__": "Broken.", "judge": no_grant})

    mutant(
        breaks=ANY,
        roles=("responder", "requester"),
        also_trips={"v2.1.": "of both"},
        trips_at={"responder": {"v2.2.": "of one"}},
    )(broken)

    server, client = find_in_registry("broken"), find_in_registry("broken-at-client")
    assert server.also_trips == (("v2.1.", "of both"), ("v2.2.", "of one"))
    assert client.also_trips == (("v2.1.", "of both"),)


def find_in_registry(slug: str) -> base.Mutant:
    return next(one for one in registered() if one.slug == slug)


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(
    ("part", "method"),
    [(CallRules, "is_runt"), (ReplyRules, "grant"), (Responder, "initial_receives")],
)
def test_replaces_the_part_that_it_is_a_subclass_of(part: type, method: str) -> None:
    value = property(lambda self: (1,)) if method == "initial_receives" else no_grant
    broken = type("Broken", (part,), {"__doc__": "Broken.", method: value})

    mutant(breaks=ANY)(broken)

    parts = find_in_registry("broken").parts
    assert broken in (parts.calls, parts.replies, parts.responder)
    assert (
        sum(
            one not in (CallRules, ReplyRules, Responder)
            for one in (parts.calls, parts.replies, parts.responder)
        )
        == 1
    )


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"grant": no_grant}, "has no docstring"),
        ({"__doc__": "D."}, "defines nothing; a mutant overrides exactly one method"),
        ({"__doc__": "D.", "grant": no_grant, "match": no_grant}, "defines grant, match"),
        ({"__doc__": "D.", "grunt": no_grant}, "defines grunt"),
    ],
)
def test_refuses_what_is_no_mutant(members: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        mutant(breaks=ANY)(type("Broken", (ReplyRules,), members))
    assert registered() == ()


@pytest.mark.usefixtures("_own_registry")
def test_refuses_a_second_mutant_of_the_same_name() -> None:
    def register() -> None:
        mutant(breaks=ANY)(type("Twin", (ReplyRules,), {"__doc__": "D.", "grant": no_grant}))

    register()

    with pytest.raises(ValueError, match="two mutants named twin"):
        register()


def test_finds_a_mutant_with_and_without_prefix() -> None:
    assert find_mutant("grants-zero") is find_mutant("mutant:grants-zero")


def test_says_that_there_is_no_such_mutant() -> None:
    with pytest.raises(TargetError, match="there is no mutant `grants-plenty`"):
        find_mutant("mutant:grants-plenty")


def test_a_mutant_of_the_client_is_a_client_with_the_client_s_profile() -> None:
    profile = load_profile(SHIPPED / "reference-client.toml")

    target = mutant_target("sends-version-three", profile)

    assert isinstance(target, ReferenceClientTarget)
    assert (find_mutant("sends-version-three").role, target.profile) == ("requester", profile)


@pytest.mark.usefixtures("_own_registry")
def test_a_mutant_can_do_without_a_claim() -> None:
    mutant(breaks=ANY, without=("backward",))(
        type("Alone", (ReplyRules,), {"__doc__": "Odd.", "grant": no_grant})
    )
    profile = load_profile(SHIPPED / "reference.toml")

    target = mutant_target("alone", profile)

    assert profile.claims.backward
    assert not target.profile.claims.backward


@pytest.mark.usefixtures("_own_registry")
def test_a_mutant_can_speak_and_claim_other_versions() -> None:
    mutant(breaks=ANY, versions=(1,))(
        type("Alone", (ReplyRules,), {"__doc__": "Odd.", "grant": no_grant})
    )
    profile = load_profile(SHIPPED / "reference.toml")

    target = mutant_target("alone", profile)

    assert find_in_registry("alone").versions == (1,)
    assert (target.profile.claims.versions, profile.claims.versions) == ((1,), (1, 2))


def test_each_role_has_parts_of_its_own() -> None:
    assert find_client_parts("sends-version-three").inside.rules is not RequestRules
    assert find_responder_parts("grants-zero").replies is not ReplyRules
    with pytest.raises(TargetError, match="is a mutant of the client"):
        find_responder_parts("sends-version-three")
    with pytest.raises(TargetError, match="is a mutant of the Responder"):
        find_client_parts("grants-zero")


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(
    ("part", "method"),
    [
        (Requester, "_refused"),
        (RequestRules, "version"),
        (CallPlanner, "offer"),
        (Allowance, "try_take"),
        (Retransmission, "forget"),
        (XidSource, "take"),
        (HandleAllocator, "handle"),
    ],
)
def test_replaces_a_part_of_the_client(part: type, method: str) -> None:
    broken = type("Broken", (part,), {"__doc__": "Broken.", method: no_grant})

    mutant(breaks=ANY)(broken)

    parts = find_in_registry("broken").parts
    assert isinstance(parts, ClientParts)
    inside = parts.inside
    assert broken in (
        *(parts.requester, parts.retransmission, parts.xids, parts.allocator),
        *(inside.rules, inside.planner, inside.allowance),
    )


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(
    ("part", "method"), [(NegotiationRules, "choose"), (NegotiatingClient, "_receive")]
)
def test_replaces_what_negotiates(part: type, method: str) -> None:
    broken = type("Broken", (part,), {"__doc__": "Broken.", method: no_grant})

    mutant(breaks=ANY)(broken)

    parts = find_in_registry("broken").parts
    assert isinstance(parts, ClientParts)
    assert broken in (parts.negotiation, parts.negotiating)


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(("part", "method"), [(PropertyRules, "judge"), (OptionalHalf, "credit")])
def test_a_part_of_both_ends_makes_a_mutant_of_each(part: type, method: str) -> None:
    broken = type("Broken", (part,), {"__doc__": "Broken.", method: no_grant})

    mutant(breaks=ANY, roles=("responder", "requester"))(broken)

    server, client = find_in_registry("broken"), find_in_registry("broken-at-client")
    assert (server.role, client.role) == ("responder", "requester")
    assert broken in (server.parts.optional, server.parts.properties)
    assert broken in (client.parts.optional, client.parts.properties)


@pytest.mark.usefixtures("_own_registry")
@pytest.mark.parametrize(
    ("part", "method", "name"),
    [
        (TransportResponder, "flush", "responder"),
        (TransportRequester, "flush", "requester"),
        (RoceDevice, "progress", "device"),
    ],
)
def test_what_is_broken_in_the_transport_runs_over_packets(
    part: type, method: str, name: str
) -> None:
    broken = type("Broken", (part,), {"__doc__": "Broken.", method: no_grant})

    mutant(breaks=ANY, roles=("responder", "requester"))(broken)

    for slug in ("broken", "broken-at-client"):
        found = find_in_registry(slug)
        assert getattr(found.parts.transport, name) is broken
        assert found.fabric == "switch"


@pytest.mark.usefixtures("_own_registry")
def test_what_it_takes_a_wire_to_see_runs_over_packets() -> None:
    for name, wire in (("Broken", True), ("Worse", False)):
        kind = type(name, (ReplyRules,), {"__doc__": "Broken.", "grant": no_grant})
        mutant(breaks=ANY, wire=wire)(kind)

    assert find_in_registry("broken").fabric == "switch"
    assert find_in_registry("worse").fabric == "loopback"


@pytest.mark.usefixtures("_own_registry")
def test_a_part_of_both_ends_says_its_roles_and_no_other_does() -> None:
    with pytest.raises(ValueError, match="both ends have what Broken is; say the `roles`"):
        mutant(breaks=ANY)(
            type("Broken", (PropertyRules,), {"__doc__": "Broken.", "judge": no_grant})
        )
    with pytest.raises(ValueError, match="Broken is a part of one end; it has no `roles`"):
        mutant(breaks=ANY, roles=("responder",))(
            type("Broken", (ReplyRules,), {"__doc__": "Broken.", "grant": no_grant})
        )


@pytest.mark.usefixtures("_own_registry")
def test_refuses_what_is_no_part_of_the_endpoint() -> None:
    with pytest.raises(ValueError, match="Broken is no part of the reference endpoint"):
        mutant(breaks=ANY)(type("Broken", (dict,), {"__doc__": "Broken.", "get": no_grant}))


def test_a_mutant_is_a_target_with_the_reference_profile() -> None:
    profile = load_profile(SHIPPED / "reference.toml")

    target = mutant_target("grants-zero", profile)

    assert target.name == "mutant:grants-zero"
    assert target.profile is profile


def test_there_are_enough() -> None:
    assert len(ALL) >= 35


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.slug)
def test_breaks_a_requirement_that_its_role_can_be_seen_to_break(one: base.Mutant) -> None:
    entry = load_catalogue()[one.breaks]
    assert entry.test is Testability.WIRE
    assert Role(one.role) in entry.seen_of


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.slug)
def test_says_its_deviation_in_one_sentence(one: base.Mutant) -> None:
    assert one.deviation.endswith(".")
    assert one.deviation[0].isupper()
    assert ". " not in one.deviation


@pytest.mark.long
@pytest.mark.parametrize("one", ALL, ids=lambda one: one.slug)
def test_is_killed_by_a_verdict_that_names_what_it_breaks(one: base.Mutant) -> None:
    kill = kills().get(one.slug)
    assert kill is not None, f"`rpcrdma dev matrix --write {one.slug}` makes its entry"
    row = run_mutant(one.slug, kill.killers[:1])

    assert row.killed
    assert not row.unjudged
    assert not row.differences


@cache
def kills() -> Mapping[str, Kill]:
    """The snapshot, read once: it is long."""
    return read_kills()
