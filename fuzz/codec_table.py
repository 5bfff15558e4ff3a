"""Every codec that is made of an `.x` file, each under a number that stays.

The number is a checksum of document and type, so that a type that is added moves no other one.
"""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from rpcrdma import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Codec", "codec_at", "codecs", "number_of"]

_GENERATED: Final = "_generated_"
_DECODE: Final = "decode_"


@dataclass(frozen=True, slots=True)
class Codec:
    """The codec of one type.

    Attributes:
        name: document and type, `v2:rdma2_header`.
        decode: octets and an offset; the value, and the offset after it.
        encode: the octets of a value.
    """

    name: str
    decode: Callable[[bytes, int], tuple[Any, int]]
    encode: Callable[[Any], bytes]


@cache
def codecs() -> Mapping[int, Codec]:
    """All of them, by number, in the order of their names."""
    found = {}
    for module in pkgutil.iter_modules(wire.__path__):
        if module.name.startswith(_GENERATED):
            found.update(_of_document(module.name))
    return dict(sorted(found.items(), key=lambda item: item[1].name))


def codec_at(number: int) -> Codec:
    """The codec of a number; any number has one."""
    known = codecs()
    return known.get(number) or tuple(known.values())[number % len(known)]


def number_of(name: str) -> int:
    """The number of the codec of that name."""
    return zlib.crc32(name.encode())


def _of_document(module_name: str) -> dict[int, Codec]:
    module = importlib.import_module(f"{wire.__name__}.{module_name}")
    document = module_name.removeprefix(_GENERATED)
    found = {}
    for decode_name in module.__all__:
        if decode_name.startswith(_DECODE):
            kind = decode_name.removeprefix(_DECODE)
            name = f"{document}:{kind}"
            decode, encode = getattr(module, decode_name), getattr(module, f"encode_{kind}")
            found[number_of(name)] = Codec(name, decode, encode)
    return found
