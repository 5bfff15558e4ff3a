"""The register of interpretations and its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.bad_input import BadInput
from conformance.catalogue.interpretations import (
    PAGE,
    choice,
    load_changes,
    load_interpretations,
    render,
)
from conformance.options.tester import ROLES
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.endpoint.core.actions import Action, PostReceive
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.wire import v2
from rpcrdma.wire.properties import Property, propid_of
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from targets.base import ClientTarget, Target

REGISTER = load_interpretations()


def test_page_is_rendered_from_the_register() -> None:
    assert PAGE.read_text() == render(REGISTER.values(), load_changes())


def test_ids_are_d_numbers_then_v_numbers_in_ascending_order() -> None:
    numbers = [(name[0], int(name[2:])) for name in REGISTER]

    assert all(re.fullmatch(r"D-\d{2,3}|V-\d{1,3}", name) for name in REGISTER)
    assert numbers == sorted(set(numbers))


def test_the_note_on_later_drafts_names_entries_that_exist() -> None:
    named = [name for change in load_changes() for name in change.concerns]

    assert set(named) <= set(REGISTER)
    assert "D-54" in named


def test_every_subject_of_the_note_is_a_row_of_its_own() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]

    subjects = [row.split(" | ")[0].removeprefix("| ") for row in rows[1:]]
    assert subjects == [change.subject for change in load_changes()]
    assert {row.count("|") for row in rows} == {5}


def test_default_is_the_first_option() -> None:
    assert (REGISTER["D-12"].default, REGISTER["D-10"].default) == ("either", "")


def test_profile_chooses_among_the_options() -> None:
    assert choice("D-12", {}) == "either"
    assert choice("D-12", {"D-12": "rdma-xid"}) == "rdma-xid"


@pytest.mark.parametrize(
    ("name", "reading", "listed"),
    [("D-12", "perhaps", "either, err-chunk, rdma-xid"), ("D-10", "20", "no profile may choose")],
)
def test_unknown_reading_is_refused(name: str, reading: str, listed: str) -> None:
    with pytest.raises(BadInput, match=listed):
        choice(name, {name: reading})


# -- the choices of a profile, in the cases that rest on them


class RefusesFaultyOperations(PropertyRules):
    """Reports what cannot be decoded by RDMA2_ERR_INVAL_OPTION."""

    def undecodable(self) -> v2.Rdma2ErrorBody:
        return v2.ErrInvalidOption()


class RefusesOctetsBehind(OptionalHalf):
    """Reports octets after an operation so."""

    def take(self, message: bytes) -> list[Action]:
        header, end = v2.decode_header(message)
        if end == len(message):
            return super().take(message)
        return [
            PostReceive.of(4096),
            self._send(header.rdma_xid, v2.Rdma2Error(v2.ErrInvalidOption())),
        ]


class MarksWhatMayChange(PropertyRules):
    """Has in opticonnpr_nochg what may change."""

    def unchanging(self, start: Sequence[Property], fixed: Collection[int]) -> tuple[int, ...]:
        return tuple(n for n, one in enumerate(start) if propid_of(one, self.known) not in fixed)


def verdicts(
    role: str, part: type[PropertyRules | OptionalHalf], chosen: dict[str, str], *cases: str
) -> set[Verdict]:
    """What cases say of a device with this part, whose profile chooses so."""
    name = "reference" if role == "responder" else "reference-client"
    profile = load_profile(SHIPPED / f"{name}.toml")
    extra = msgspec.structs.replace(profile.extra, interpretations=chosen)
    profile = msgspec.structs.replace(profile, extra=extra)
    changed = {"properties" if issubclass(part, PropertyRules) else "optional": part}
    target: Target | ClientTarget = (
        ReferenceTarget(profile, parts=Parts(**changed))
        if role == "responder"
        else ReferenceClientTarget(profile, parts=ClientParts(**changed))
    )
    ids = tuple(case.format(role) for case in cases)
    records = judge(target, Selection(cases=ids))
    assert len(records) == len(ids)
    return {record.verdict for record in records}


FAULTY = (
    "xcharext/2.1/value-that-its-type-does-not-allow-is-reported[a bool of 2-updprop-{}]",
    "xcharext/2.1/value-that-is-too-short-is-reported[2-1-reqprop-{}]",
    "xcharext/2.1/value-that-ends-beyond-the-message-is-reported[8-updprop-{}]",
)
BEHIND = ("xcharext/2.3/call-behind-an-operation-is-not-executed[updprop-{}]",)
CHANGED = (
    "xcharext/3.1/update-replaces-the-announced-size[8192-16384-{}]",
    "xcharext/4.1/size-left-out-of-a-second-connprop-is-the-default[{}]",
    "xcharext/4.1/fixed-values-are-not-updated[{}]",
)


@pytest.mark.parametrize(("reading", "verdict"), [("bad-header", "WARN"), ("either", "PASS")])
@pytest.mark.parametrize("role", ROLES)
def test_the_cases_about_faulty_operations_heed_the_choice_of_the_error(
    role: str, reading: str, verdict: str
) -> None:
    """D-59."""
    chosen = {"D-59": reading}

    assert verdicts(role, RefusesFaultyOperations, chosen, *FAULTY) == {Verdict(verdict)}
    assert verdicts(role, RefusesOctetsBehind, chosen, *BEHIND) == {Verdict(verdict)}


@pytest.mark.parametrize("role", ROLES)
def test_the_cases_about_changes_heed_the_choice_of_what_is_marked(role: str) -> None:
    """D-72."""
    may_change = verdicts(role, MarksWhatMayChange, {"D-72": "may-change"}, *CHANGED)
    will_not = verdicts(role, MarksWhatMayChange, {"D-72": "will-not-change"}, CHANGED[-1])

    assert may_change == {Verdict.PASS}
    assert will_not == {Verdict.FAIL}
