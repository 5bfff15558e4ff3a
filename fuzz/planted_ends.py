"""Bugs planted in whole ends, and in the codecs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from fuzz.codec_table import Codec, codec_at
from fuzz.ends_world import Ends
from rpcrdma.endpoint.responder.group_reply import GroupReplies
from rpcrdma.errors import DecodeError
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.wire._generated_rtrext import MessageItem

__all__ = ["IN_ENDS", "answers_backwards", "points_behind"]


class _AnswersBackwards(GroupReplies):
    @override
    def in_order(self, items: tuple[MessageItem, ...]) -> tuple[MessageItem, ...]:
        return super().in_order(items)[::-1]


def answers_backwards() -> Ends:
    """Ends whose server answers the directions of a request in the wrong order (items swapped)."""
    return Ends(server=Parts(group_replies=_AnswersBackwards))


def points_behind() -> Callable[[int], Codec]:
    """Codecs whose errors point to the octet after the item that failed (off by one)."""

    def find(number: int) -> Codec:
        codec = codec_at(number)

        def decode(octets: bytes, offset: int) -> tuple[Any, int]:
            try:
                return codec.decode(octets, offset)
            except DecodeError as error:
                error.offset += 1
                raise

        return replace(codec, decode=decode)

    return find


IN_ENDS: Final = {
    "items-swapped": ("ends", "fuzz.planted_ends:answers_backwards"),
    "offset-behind": ("codecs", "fuzz.planted_ends:points_behind"),
}
"""Name -> harness that must find it, and the implementation that has it."""
