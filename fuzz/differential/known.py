"""What C makes of octets otherwise than our decoders, and why: the lawful differences, by name.

python -m fuzz.differential.known > fuzz/DISAGREEMENTS.md
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KNOWN", "KnownDifference", "render"]

_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """Octets that our decoders refuse and C takes, as if they were others.

    Attributes:
        name: one word with hyphens.
        rule: section of RFC 4506 that the octets break.
        reason: for which our decoders refuse them.
        ours: why ours do so.
        theirs: what C makes of them, and why.
        repair: the octets that C takes them for, of the octets and the place that is refused.
    """

    name: str
    rule: str
    reason: Reason
    ours: str
    theirs: str
    repair: Callable[[bytes, int], bytes]

    def explains(self, octets: bytes, refusal: DecodeError) -> bool:
        """Whether it is for this that our decoder refuses the octets."""
        repaired = self.repair(octets, refusal.offset)
        return refusal.reason is self.reason and len(repaired) == len(octets) and repaired != octets


def _true(octets: bytes, place: int) -> bytes:
    return octets[:place] + (1).to_bytes(_WORD) + octets[place + _WORD :]


def _first_member(octets: bytes, place: int) -> bytes:
    return octets[:place] + bytes(_WORD) + octets[place + _WORD :]


def _no_padding(octets: bytes, place: int) -> bytes:
    padding = -place % _WORD
    return octets[:place] + bytes(padding) + octets[place + padding :]


KNOWN: Final = (
    KnownDifference(
        "boolean",
        "4.4",
        Reason.BAD_BOOLEAN,
        "A boolean is 0 or 1, and so is the word that says whether a list goes on (4.19). A peer"
        " that sends another one has most likely lost its place in the message.",
        "libtirpc's `xdr_bool` takes every word but 0 for true, and encodes it as 1.",
        _true,
    ),
    KnownDifference(
        "enumeration",
        "4.3",
        Reason.BAD_ENUM,
        "A word that is not among the values of an enumeration is an error (4.3).",
        "libtirpc's `xdr_enum` takes every word, and what rpcgen makes of an enumeration calls"
        " nothing else. The direction of a message of Version Two is such a word. That of a union,"
        " such as `rdma_proc`, is refused by both: no arm is there for it.",
        _first_member,
    ),
    KnownDifference(
        "padding",
        "4.10",
        Reason.BAD_PADDING,
        "The octets that fill the last word of an opaque are zero (3).",
        "libtirpc's `xdr_opaque` skips them, and encodes zeros. In a header of Version Two they"
        " come after `rdma_optinfo`.",
        _no_padding,
    ),
)
"""All that are known; of each reason one at most."""

_HEAD: Final = """\
# Where our decoders of headers and rpcgen's disagree

`rpcrdma fuzz v1-header-c` and `v2-header-c` decode each input twice: by the Python that is
generated from `rpcrdma/spec`, and by the C that rpcgen makes of the same files, with libtirpc.
Either both refuse it, or both accept it, end at the same octet and encode the header alike.
Each difference below is lawful: RFC 4506 says what an encoder sends, and does not make a decoder
look at it. Octets that break one of these rules are put right, as C takes them, and compared
again, so that none hides another difference. All else is a finding.

This page is made of `fuzz/differential/known.py`, whose head has the command.
"""

_TAIL: Final = """\
## What both take

- Any `rdma_vers`: the version is for the layer above, which answers an unknown one.
- Octets after the header: in a message they are the Payload stream.

## What is not compared

- For what reason, and where, octets are refused: C does not say.
- What an array without a bound does to memory. As rpcgen makes it, C asks for room for as many
  elements as are claimed, up to 2^28, before it looks whether they are there. Here the bound is
  the number of octets of the input, by which nothing is refused that would not be later.
- Inputs of more than 65,536 octets: C calls itself for each element of a list.
- What comes after 64 known differences in one input: each takes another decoding of it.
- What `rdma_optinfo` holds: to the header it is opaque.
"""

_TSHARK: Final = """\
## Where Wireshark's dissector reads otherwise

`rpcrdma dev tshark` has tshark dissect a capture of thousands of headers in one run, and compares
field by field. As tshark 4.0 was seen to do:

- A boolean that is neither 0 nor 1 is true to it, as to C. Such a word is put right, and the fields
  are compared then.
- It shows an `rdma_err` that has no meaning, and nothing after it. It does not take a message of
  another `rdma_proc`, or of another `rdma_vers` than 1, for RPC-over-RDMA. There it has read
  nothing that could differ.
- It recognises an RDMA_MSG only if the Payload stream begins with `rdma_xid`. In what it is given,
  the stream does.
- A Send whose octets fill no word is padded on the wire, and it reads the padding as if it were
  sent. Such inputs are left out: a header has whole words.
"""

_KERNEL: Final = """\
## Where the kernel's server decodes otherwise

`rpcrdma dev kernel-decoder` sends headers to Linux' NFS/RDMA server in the lab, and compares what
`svc_rdma_xdr_decode_req` traces of each. As Linux 6.1 and 6.12 were seen to do:

- A boolean that is neither 0 nor 1 is true to it, as to C; such a word is put right.
- It drops RDMA_DONE and RDMA_ERROR as soon as it has seen `rdma_proc`, and reads nothing after it.
- RDMA_MSGP is no procedure to it; nobody may send it (RFC 8166 4.6.1).
- It refuses while it decodes what is well-formed, and what it has no use for: Read segments of
  more than a megaoctet together, a Position that fills no word, a chunk of no segment. What comes
  of that is for the scenarios to judge.
- Of a message of less than four words it traces no XID; such inputs are counted, not compared.
- What may bring a server down is not sent (SECURITY.md).
"""

_CLIENT: Final = """\
## Where the kernel's client decodes otherwise

`rpcrdma dev kernel-decoder --of client` has Linux' NFS/RDMA client mount the tester in the lab. It
gives the client each header as the Reply to a call of its own, under the XID of that call, and
compares what `rpcrdma_reply_handler` traces of it: taken, with which segments and how long a
result, or refused. A header that has a Read list is sent a second time without it, and what follows
the header of an RDMA_MSG is the right Payload stream. As Linux 6.1 and 6.12 were seen to do:

- A boolean that is neither 0 nor 1 is true to it, as to C; such a word is put right.
- It refuses while it decodes what is well-formed, and no Reply to a call of its own: a Read list,
  which it does not decode (RFC 8166 4.3.1: all replies leave it empty); a second Write chunk, and
  octets in a Write chunk and in the Reply chunk at once, since it offers one chunk for results at
  most (4.3.2, 4.3.3); octets in the Reply chunk of an RDMA_MSG, and none in that of an RDMA_NOMSG,
  since the Reply is in the one or the other (4.2.4); and results far longer than it asks for.
- RDMA_MSGP and RDMA_DONE are no procedures to it (4.6); it refuses them, where they are to be
  dropped. That, and that it looks at messages of 16 to 27 octets, is for the scenarios to judge.
- It tells ERR_VERS from ERR_CHUNK, and any other `rdma_err` is one that it does not know. The call
  fails by each of them.
- It does not compare handles, offsets and lengths with those that the call has offered.
- Of a message of less than four words it traces no XID. That each was dropped is seen by their
  number, and by the call, which the next header still finds.
"""


def render() -> str:
    """`fuzz/DISAGREEMENTS.md`."""
    parts = [
        f"## {one.name}: RFC 4506 {one.rule}\n\nOurs: {one.ours}\n\nC: {one.theirs}\n"
        for one in KNOWN
    ]
    return "\n".join((_HEAD, *parts, _TAIL, _TSHARK, _KERNEL, _CLIENT))


if __name__ == "__main__":
    sys.stdout.write(render())
