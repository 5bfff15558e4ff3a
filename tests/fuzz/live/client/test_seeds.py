"""What a campaign against a client begins with."""

from __future__ import annotations

from fuzz.live.client.dangers import danger_of_move
from fuzz.live.client.moves import MOVES
from fuzz.live.client.recipes import Turn, turns_of
from fuzz.live.client.seeds import acts_for, kinds_for, seeds_for_client
from fuzz.live.move import Move
from targets.base import ActKind

ACTS = frozenset({ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.MANY, ActKind.DISCONNECT})


def turns(*, destructive: bool) -> list[Turn]:
    seeds = seeds_for_client(ACTS, destructive=destructive)
    return [turn for octets in seeds for turn in turns_of(octets)]


def moves(*, destructive: bool) -> list[Move]:
    made = turns(destructive=destructive)
    return [move for turn in made for answer in turn.answers for move in answer]


def test_each_act_is_there_by_itself_but_those_that_leave_no_connection() -> None:
    assert acts_for(ACTS) == (ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.MANY)
    plain = [turn.act for turn in turns(destructive=False) if not turn.answers]
    assert plain == [ActKind.NULL, ActKind.SMALL, ActKind.READ, ActKind.MANY]


def test_each_move_is_there_if_it_may_be_made() -> None:
    kinds = {move.kind for move in moves(destructive=True)}
    assert kinds == set(MOVES) == set(kinds_for(destructive=True))
    harmless = {move.kind for move in moves(destructive=False)}
    assert harmless == set(kinds_for(destructive=False)) < kinds
    assert {danger_of_move(Move(kind)) for kind in harmless} == {""}


def test_no_seed_is_there_twice() -> None:
    seeds = seeds_for_client(ACTS, destructive=True)
    assert len(seeds) == len(set(seeds))
