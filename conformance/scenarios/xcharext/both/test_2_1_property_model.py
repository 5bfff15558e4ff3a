"""xcharext section 2.1, Property Model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.options import verify as verify_options
from conformance.options.tester import both_ends
from conformance.oracle.sizes import THRESHOLD_TWO
from rpcrdma.wire.operations import BY_NAME, XCHAREXT, ConnProp, ReqProp, UpdProp, operations_of
from rpcrdma.wire.optional import encode_option, with_values
from rpcrdma.wire.properties import (
    EXPERIMENTAL_PROPIDS,
    PROP_BRS,
    PROP_RBSIZ,
    PROP_REQREMINV,
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import Rdma2Optional

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester

NO_ERROR = "xcharext.2.1.unknown-property-is-no-error"
REST = "xcharext.2.1.rest-is-processed"
IGNORED = "xcharext.4.1.unsupported-property-is-ignored"
ANY_CODE = "xcharext.6.1.codes-of-any-size"
EXPERIMENTAL = "xcharext.6.2.experimental-properties-are-borne"
ORDER = "xcharext.2.1.any-order"
DEFAULT = "xcharext.2.1.zero-length-means-the-default"
INVALID = "xcharext.2.1.invalid-data"
SHORT = "xcharext.2.1.data-too-short"
BEYOND = "xcharext.2.1.data-beyond-the-message"
NOTHING = "xcharext.2.1.xdr-error-changes-nothing"
BIT = "xcharext.2.1.bit-of-an-element"
MISSING = "xcharext.2.1.missing-words-are-zero"

SMALLER = ReceiveBufferSize(8192)
"""Less than `LARGE`, and more than every receiver must take: who is told less may go on so."""
LARGE = ReceiveBufferSize(16384)
PLAIN = RequesterRemoteInvalidation(allowed=False)
INLINE = BackwardRequestSupport(BackwardSupport.BKREQSUP_INLINE)

CODES = (0, 8, 1000, 2**31, EXPERIMENTAL_PROPIDS[0], EXPERIMENTAL_PROPIDS[-1])


@both_ends(NO_ERROR, REST, IGNORED, ANY_CODE, EXPERIMENTAL)
@pytest.mark.parametrize("length", [0, 3, 64])
@pytest.mark.parametrize("code", CODES)
def test_unknown_property_is_passed_over(tester: OptionTester, code: int, length: int) -> None:
    """A property that nobody knows is taken, and the size after it in UPDPROP is obeyed."""
    verify_options.claims(tester, "connprop")
    unknown = PropertyValue(code, bytes(length))
    broken = (NO_ERROR, IGNORED, ANY_CODE, EXPERIMENTAL)

    first = tester.send(ConnProp((unknown, *property_values(LARGE)), ()))
    verify_options.unanswered(tester, first, breaks=broken)
    verify_options.claims(tester, "updprop")
    tester.send(UpdProp(property_values(LARGE)))
    tester.call()
    second = tester.send(UpdProp((unknown, *property_values(SMALLER))))

    verify_options.unanswered(tester, second, breaks=broken)
    verify_options.obeys(tester, SMALLER.octets, breaks=(REST, IGNORED), lengths=(8196, 12000))


@both_ends(ORDER)
@pytest.mark.parametrize("order", ["012", "021", "102", "120", "201", "210"])
def test_properties_come_in_any_order(tester: OptionTester, order: str) -> None:
    """The three properties are taken in whatever order they stand."""
    verify_options.claims(tester, "connprop", "updprop")
    tester.send(ConnProp(property_values(LARGE, PLAIN, INLINE), ()))
    tester.call()
    values = [(SMALLER, PLAIN, INLINE)[int(digit)] for digit in order]

    xid = tester.send(UpdProp(property_values(*values)))

    verify_options.unanswered(tester, xid, breaks=(ORDER,))
    verify_options.obeys(tester, SMALLER.octets, breaks=(ORDER,), lengths=(8196, 12000))


@both_ends(DEFAULT, interpretations=("D-76",))
def test_value_of_no_octets_is_the_default(tester: OptionTester) -> None:
    """A size of no octets stands for 4096: RPCs of that size go on."""
    verify_options.claims(tester, "updprop")
    tester.send(UpdProp(property_values(SMALLER)))
    tester.call()

    xid = tester.send(UpdProp(property_values(DefaultValue(PROP_RBSIZ))))

    verify_options.unanswered(tester, xid, breaks=(DEFAULT,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(DEFAULT,))


_BEGUN = [one.name for one in operations_of(XCHAREXT) if not one.is_answer]


def _faulty(
    tester: OptionTester, operation: str, value: PropertyValue, breaks: tuple[str, ...]
) -> None:
    """An operation with a good size and a faulty value after it is an error and does nothing."""
    verify_options.claims(tester, operation)
    values = (*property_values(LARGE), value)

    xid = tester.send(with_values(BY_NAME[operation], values))

    verify_options.reports_bad_header(tester, xid, breaks=breaks)
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(NOTHING,), lengths=(6000,))


@both_ends(INVALID, NOTHING, interpretations=("D-59", "D-76"))
@pytest.mark.parametrize("operation", _BEGUN)
@pytest.mark.parametrize(
    "value",
    [PropertyValue(PROP_REQREMINV, b"\0\0\0\2"), PropertyValue(PROP_BRS, b"\0\0\0\3")],
    ids=["a bool of 2", "a level of 3"],
)
def test_value_that_its_type_does_not_allow_is_reported(
    tester: OptionTester, operation: str, value: PropertyValue
) -> None:
    """A value outside its type is an XDR error, and nothing of the message is applied."""
    _faulty(tester, operation, value, (INVALID,))


@both_ends(SHORT, NOTHING, interpretations=("D-59", "D-76"))
@pytest.mark.parametrize("operation", _BEGUN)
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("code", [PROP_REQREMINV, PROP_BRS])
def test_value_that_is_too_short_is_reported(
    tester: OptionTester, operation: str, code: int, length: int
) -> None:
    """One to three octets hold no value: an XDR error, and nothing of the message is applied."""
    _faulty(tester, operation, PropertyValue(code, bytes(length)), (SHORT,))


@both_ends(BEYOND, NOTHING, interpretations=("D-59", "D-76"))
@pytest.mark.parametrize("operation", ["reqprop", "updprop"])
@pytest.mark.parametrize("length", [8, 4096, 2**32 - 1])
def test_value_that_ends_beyond_the_message_is_reported(
    tester: OptionTester, operation: str, length: int
) -> None:
    """A value whose count leads beyond the message is an XDR error, known or not."""
    verify_options.claims(tester, operation)
    values = (*property_values(LARGE), PropertyValue(77, bytes(4)))
    whole = encode_option(MessageType.CALL, with_values(BY_NAME[operation], values))
    optinfo = whole.rdma_optinfo[:-8] + length.to_bytes(4, "big") + bytes(4)

    xid = tester.send(Rdma2Optional(whole.rdma_optdir, whole.rdma_opttype, optinfo))

    verify_options.reports_bad_header(tester, xid, breaks=(BEYOND,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(NOTHING,), lengths=(6000,))


@both_ends(BIT, interpretations=("D-73", "D-141"))
@pytest.mark.parametrize(
    ("count", "place"), [(1, 0), (3, 0), (3, 2), (33, 0), (33, 31), (33, 32), (40, 32)]
)
def test_answer_names_elements_by_their_bits(tester: OptionTester, count: int, place: int) -> None:
    """Unknown properties about a size that need not change: the answer's bits fit the places."""
    verify_options.claims(tester, "reqprop")
    tester.call()
    (size,) = property_values(ReceiveBufferSize(verify_options.told_size(tester)))
    unknown = tuple(PropertyValue(1000 + number, b"") for number in range(count))
    wanted = (*unknown[:place], size, *unknown[place + 1 :])

    found = verify_options.answered(tester, tester.send(ReqProp(wanted)))

    others = frozenset(range(count)) - {place}
    verify.equal(found.rejected - {place}, others, "the set of rejected places", breaks=(BIT,))
    known = (found.done | found.rejected) & frozenset(range(count))
    verify.that(
        place in known or found.other, "the size is disposed of", actual=found, breaks=(BIT,)
    )
