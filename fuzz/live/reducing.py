"""The smallest sequence that does the same to a device, within so many tries.

Whole messages are left out first, then what a message consists of.  A try is a run at the
device, and one that brings it down costs a start, so that most are spent on what leaves out much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    WriteChunk,
    decode_any_header,
    encode_any_header,
    v2,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["reduced", "smaller_message"]

Item = TypeVar("Item")

_WORD: Final = 4
_WITH_CHUNKS: Final = (RdmaMsg, RdmaNomsg, v2.Rdma2Msg, v2.Rdma2Nomsg)


def reduced(
    messages: Sequence[bytes],
    does_it: Callable[[list[bytes]], bool],
    tries: int,
    made_smaller: Callable[[bytes], Iterable[bytes]],
) -> list[bytes]:
    """A smaller sequence of which `does_it` is true, as it is of the whole.

    Args:
        messages: the whole.
        does_it: tries a sequence.
        tries: how often at most.
        made_smaller: gives what one message may be made into, what leaves out most first.
    """
    smallest = list(messages)
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(smallest, made_smaller):
            if tries == 0:
                return smallest
            tries -= 1
            if does_it(candidate):
                smallest, progress = candidate, True
                break
    return smallest


def smaller_message(message: bytes) -> Iterator[bytes]:
    """A message with shorter lists in its header, then with fewer words."""
    yield from _shorter_lists(message)
    yield from _fewer_words(message)


def _smaller(
    messages: list[bytes], made_smaller: Callable[[bytes], Iterable[bytes]]
) -> Iterator[list[bytes]]:
    count = len(messages)
    run = count // 2
    if count > 1:
        yield messages[-1:]  # what came last is what did it, mostly
    while run >= 1:
        for start in range(0, count, run):
            yield messages[:start] + messages[start + run :]
        run //= 2
    for index, message in enumerate(messages):
        for made in made_smaller(message):
            yield [*messages[:index], made, *messages[index + 1 :]]


def _shorter_lists(message: bytes) -> Iterator[bytes]:
    """The message with one item less in one of the lists of its header."""
    try:
        header, end = decode_any_header(message)
    except DecodeError:
        return
    body, payload = header.rdma_body, message[end:]
    if not isinstance(body, _WITH_CHUNKS):
        return
    changes: list[dict[str, object]] = []
    changes += [{"rdma_reads": rest} for rest in _one_less(body.rdma_reads)]
    changes += [{"rdma_writes": rest} for rest in _one_less(body.rdma_writes)]
    changes += [
        {"rdma_writes": (*body.rdma_writes[:at], WriteChunk(rest), *body.rdma_writes[at + 1 :])}
        for at, whole in enumerate(body.rdma_writes)
        for rest in _one_less(whole.target)
    ]
    if body.rdma_reply is not None:
        changes.append({"rdma_reply": None})
        changes += [{"rdma_reply": WriteChunk(rest)} for rest in _one_less(body.rdma_reply.target)]
    for change in changes:
        made = msgspec.structs.replace(body, **change)
        yield encode_any_header(msgspec.structs.replace(header, rdma_body=made)) + payload


def _one_less(items: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    for index in range(len(items)):
        yield (*items[:index], *items[index + 1 :])


def _fewer_words(message: bytes) -> Iterator[bytes]:
    """The message with fewer words at its end, or with a word of zeros."""
    length = len(message) // _WORD
    run = length // 2
    while run >= 1:
        yield message[: -_WORD * run]
        run //= 2
    for start in range(0, _WORD * length, _WORD):
        if any(message[start : start + _WORD]):
            yield message[:start] + bytes(_WORD) + message[start + _WORD :]
