"""The rules of Version One under the ids of Version Two."""

from __future__ import annotations

from conformance.catalogue.counterparts import _COUNTERPARTS, in_version
from conformance.catalogue.entries import load_catalogue

ONE = ("rfc8166.4.5.error-xid-echoed", "rfc8166.3.4.6.segments-returned")


def test_both_ends_of_every_pair_are_in_the_catalogues() -> None:
    catalogue = load_catalogue()

    assert all(catalogue[one] and catalogue[two] for one, two in _COUNTERPARTS.items())
    assert {two.partition(".")[0] for two in _COUNTERPARTS.values()} == {"v2"}


def test_only_messages_of_version_two_are_judged_by_its_ids() -> None:
    assert in_version(ONE, 1) == ONE
    assert in_version(ONE, 3) == ONE
    assert in_version(ONE, 2) == (
        "v2.4.2.3.error-echoes-the-xid",
        "v2.1.write-chunks-as-before",
    )


def test_rules_of_one_group_are_named_once() -> None:
    both = ("rfc8166.3.4.6.segments-returned", "rfc8166.3.4.6.segment-count-returned")

    assert in_version((*both, "v2.5.x"), 2) == ("v2.1.write-chunks-as-before", "v2.5.x")
