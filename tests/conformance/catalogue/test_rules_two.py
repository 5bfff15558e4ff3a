"""What Version Two says for rules of Version One."""

from __future__ import annotations

from conformance.catalogue.entries import load_catalogue
from conformance.catalogue.rules_two import INHERITED, inherited


def test_every_entry_begins_statements_of_version_one_and_names_one_of_version_two() -> None:
    catalogue = load_catalogue()
    known = [entry.id for entry in catalogue]

    for one, two in INHERITED.items():
        assert any(known_id.startswith(one) for known_id in known), one
        assert catalogue[two].id.startswith("v2.")


def test_the_words_of_version_two_come_first_and_each_once() -> None:
    rules = ("rfc8166.3.4.5.header-advertises-read-chunks", "rfc8166.4.3.1.of-no-importance")

    assert inherited(rules) == ("v2.1.read-chunks-as-before", *rules)


def test_what_has_no_words_of_its_own_goes_on() -> None:
    assert inherited(("rfc8166.2.2.4.2.roundup-is-zero-octets",))[0] == (
        "v2.1.version-one-rules-go-on"
    )


def test_what_is_said_in_its_words_already_stays() -> None:
    assert inherited(("v2.2.3.no-send-beyond-4096-octets",)) == (
        "v2.2.3.no-send-beyond-4096-octets",
    )
