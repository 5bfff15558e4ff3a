"""Which statement about the encoding of a header is broken, told by the words of the whole header.

    rfc8166 section 4.2  Fixed Header Fields
    rfc8166 section 4.3  Chunk Lists
    rfc8166 section 4.7  XDR Examples

A decoder stops where the words cease to make sense, which may be far from the word that is lacking,
and does not stop at all where they make another sense.  Here a message of Version One is compared
with what a sender makes that breaks one statement and keeps all others: read in that way, the lists
end where the Payload stream starts with the XID, or where an RDMA_NOMSG ends.  Each such way is a
regular expression over the hexadecimal digits of the words.

Different mistakes may give the same octets: without the word of zero that ends its Read list, a
header is what it is without that of its empty Write list.  All such statements are then named.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["misencoded"]

_MOST_SEGMENTS: Final = 64
"""In a chunk of a message that is compared; a header of 1024 octets has no room for more."""

_WORD: Final = "[0-9a-f]{8}"
_ZERO: Final = "00000000"
_ONE: Final = "00000001"
_PLAIN: Final = f"(?:{_WORD}){{4}}"
_READ: Final = f"{_WORD[:-3]}{{7}}[048c]{_PLAIN}"
"""A read segment.  XDR items, and with them Positions, begin at multiples of four octets."""


def _array(counted: int, words: int) -> str:
    """Segments after a count, at least one.

    Args:
        counted: how much the count says for each segment.
        words: of each segment.
    """
    segments = (
        f"{number * counted:08x}(?:{_WORD}){{{number * words}}}"
        for number in range(1, _MOST_SEGMENTS + 1)
    )
    return f"(?:{'|'.join(segments)})"


_CHUNK: Final = _array(1, 4)
_ANY_CHUNK: Final = f"(?:{_ZERO}|{_CHUNK})"
_READS: Final = f"(?:{_ONE}{_READ})*{_ZERO}"
_WRITES: Final = f"(?:{_ONE}{_ANY_CHUNK})*{_ZERO}"
_REPLY: Final = f"(?:{_ZERO}|{_ONE}{_ANY_CHUNK})"

_XID: Final = f"(?P<xid>{_WORD})"
_PAYLOAD: Final = f"(?P=xid)(?:{_ZERO}|{_ONE})"
"""What a Payload stream starts with: the XID and the msg_type."""


_CREDITS: Final = f"(?!{_ZERO}){_WORD}"
_FIXED: Final = _WORD + _CREDITS
"""rdma_vers and rdma_credit."""


def _lists(reads: str = _READS, writes: str = _WRITES, reply: str = _REPLY) -> str:
    return f"{reads}{writes}{reply}"


def _message(lists: str, fixed: str = _FIXED) -> str:
    """An RDMA_MSG or RDMA_NOMSG.

    Args:
        lists: of it.
        fixed: the words between rdma_xid and rdma_proc.
    """
    return f"{_XID}{fixed}(?:{_ZERO}{lists}{_PAYLOAD}|{_ONE}{lists}$)"


def _unknown(end: str) -> str:
    """A message under a procedure that there is not, and what follows its lists."""
    return f"{_XID}{_FIXED}(?!0000000[0-4]){_WORD}{_lists()}{end}"


_RIGHT: Final = _message(_lists())

_WITHOUT_CHUNKS: Final = "rfc8166.4.7.no-chunks-three-zero-words"
_ALL_ABSENT: Final = _message(f"(?:(?:{_ZERO}){{1,2}}|(?:{_ZERO}){{4,6}})")

_WRONG: Final = (
    ("rfc8166.4.2.four-fixed-words", _message(_lists(), fixed=_WORD)),
    ("rfc8166.4.2.4.msg-is-zero", _unknown(_PAYLOAD)),
    ("rfc8166.4.2.4.nomsg-is-one", _unknown("$")),
    ("rfc8166.4.2.4.msg-payload-follows-the-lists", f"{_XID}{_FIXED}{_ZERO}{_PAYLOAD}"),
    (
        "rfc8166.4.7.read-list-encoding",
        _message(_lists(reads=f"(?:(?:{_ONE}{_READ})+|(?:{_READ})+{_ZERO})")),
    ),
    ("rfc8166.4.7.empty-read-list-encoding", _message(_lists(reads=f"(?:|{_ZERO * 2})"))),
    (
        "rfc8166.4.7.write-list-encoding",
        _message(_lists(writes=f"(?:(?:{_ONE}{_ANY_CHUNK})+|{_CHUNK}+{_ZERO})")),
    ),
    (
        "rfc8166.4.7.write-chunk-encoding",
        _message(_lists(writes=f"(?:{_ONE}{_array(16, 4)})+{_ZERO}")),
    ),
    (
        "rfc8166.4.3.2.write-list-of-counted-arrays",
        _message(_lists(writes=f"(?:{_ONE}{_PLAIN})+{_ZERO}")),
    ),
    (
        "rfc8166.3.4.6.write-segments-have-no-position",
        _message(_lists(writes=f"(?:{_ONE}{_array(1, 5)})+{_ZERO}")),
    ),
    ("rfc8166.4.7.empty-write-list-encoding", _message(_lists(writes=f"(?:|{_ZERO * 2})"))),
    ("rfc8166.4.7.reply-chunk-encoding", _message(_lists(reply=f"(?:|{_CHUNK})"))),
    ("rfc8166.4.3.3.one-reply-chunk-slot", _message(_lists(reply=f"(?:{_ONE}{_CHUNK}){{2,}}"))),
)
"""Rule -> pattern; compiled for the first bad header, since all take a tenth of a second."""


def misencoded(octets: bytes) -> tuple[str, ...]:
    """The statements each of which alone needs to be broken for a message to be what it is.

    Args:
        octets: of a message in Version One.

    Returns:
        None for a message whose header is right, and for one that no single mistake explains.
    """
    digits = octets.hex()
    if re.match(_RIGHT, digits):
        return ()
    if re.match(_ALL_ABSENT, digits):
        return (_WITHOUT_CHUNKS,)
    return tuple(rule for rule, pattern in _WRONG if re.match(pattern, digits))
