"""Values with one wrong part."""

from __future__ import annotations

from fuzz.wrong_values import with_a_wrong_part
from rpcrdma.wire._generated_propprog import PropertyItem, PropertyWish

VALUE = PropertyWish((PropertyItem(70, b"abc"),))


def test_every_part_has_its_turn() -> None:
    made = list(with_a_wrong_part(VALUE))

    assert None in made
    assert PropertyWish(None) in made  # type: ignore[arg-type]
    assert PropertyWish((PropertyItem(-1, b"abc"),)) in made
    assert PropertyWish((PropertyItem(70, "text"),)) in made  # type: ignore[arg-type]
    assert all(one != VALUE for one in made)


def test_later_parts_have_their_turn_in_another_round() -> None:
    long = PropertyWish((PropertyItem(70, b"abc"),) * 2)
    made = list(with_a_wrong_part(long))
    parts = 10  # itself, its tuple, two items of two fields each, and two other lengths

    assert list(with_a_wrong_part(long, 2)) == made[2 * len(made) // parts :]
    assert list(with_a_wrong_part(long, parts)) == []


def test_the_value_itself_stays_as_it_is() -> None:
    list(with_a_wrong_part(VALUE))

    assert PropertyWish((PropertyItem(70, b"abc"),)) == VALUE
