"""Mutants: what either end makes of property values and of sets of them (xcharext 2.1, 4.1, 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.properties import (
    EXPERIMENTAL_PROPIDS,
    PROP_BRS,
    PROP_REQREMINV,
    ReceiveBufferSize,
    propid_of,
)
from rpcrdma.wire.v2 import Rdma2Optional, decode_header
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import (
        DefaultValue,
        KnownProperty,
        PropertyValue,
        UnknownProperty,
    )

IGNORED = "xcharext.4.1.unsupported-property-is-ignored"
ANY_CODE = "xcharext.6.1.codes-of-any-size"
UNKNOWN_IN_REQUEST = "a request with unknown properties gets an error, too"


FOUR = 4
"""Octets of the last value of the messages that matter here."""


def _fault(code: int) -> DecodeError:
    return DecodeError(0, "pv_which", Reason.BAD_ENUM, f"property {code}")


@mutant(
    breaks="xcharext.2.1.unknown-property-is-no-error",
    roles=BOTH_ENDS,
    also_trips={"xcharext.4.2.supported-request-is-answered": UNKNOWN_IN_REQUEST},
)
class ReportsUnknownProperties(PropertyRules):
    """Reports an unknown property as an XDR error."""

    def unknown(self, value: UnknownProperty) -> KnownProperty | None:
        raise _fault(value.propid)


@mutant(
    breaks=ANY_CODE,
    roles=BOTH_ENDS,
    also_trips={"xcharext.4.2.supported-request-is-answered": UNKNOWN_IN_REQUEST},
)
class KnowsCodesOfOneOctet(PropertyRules):
    """Reports a property whose code is more than 255 as an XDR error."""

    def unknown(self, value: UnknownProperty) -> KnownProperty | None:
        if value.propid > 0xFF:
            raise _fault(value.propid)
        return None


@mutant(breaks="xcharext.6.2.experimental-properties-are-borne", roles=BOTH_ENDS)
class ReportsExperimentalProperties(PropertyRules):
    """Reports an experimental property as an XDR error."""

    def unknown(self, value: UnknownProperty) -> KnownProperty | None:
        if value.propid in EXPERIMENTAL_PROPIDS:
            raise _fault(value.propid)
        return None


@mutant(breaks="xcharext.2.1.rest-is-processed", roles=BOTH_ENDS)
class StopsAtUnknownProperties(PropertyRules):
    """Passes over all that stands after an unknown property."""

    def read(self, values: Iterable[PropertyValue]) -> tuple[KnownProperty | None, ...]:
        found = super().read(values)
        end = found.index(None) if None in found else len(found)
        return found[:end] + (None,) * (len(found) - end)


@mutant(breaks=IGNORED, roles=BOTH_ENDS)
class RefusesAnnouncementsOfUnknownProperties(PropertyRules):
    """Reports a CONNPROP in which there is an unknown property as an XDR error."""

    def decode(self, message: Rdma2Optional) -> Option:
        option = super().decode(message)
        if isinstance(option, ConnProp):
            for value in option.opticonnpr_start:
                if value.pv_which not in self.known.by_code:
                    raise _fault(value.pv_which)
        return option


@mutant(breaks="xcharext.2.1.any-order", roles=BOTH_ENDS)
class ExpectsAscendingProperties(PropertyRules):
    """Takes the properties of an UPDPROP up to the first that is out of order."""

    def updated(self, peer: PropertyValues, changes: Iterable[KnownProperty]) -> PropertyValues:
        taken: list[KnownProperty] = []
        for value in changes:
            if taken and propid_of(value, self.known) < propid_of(taken[-1], self.known):
                break
            taken.append(value)
        return super().updated(peer, taken)


@mutant(
    breaks="xcharext.2.1.zero-length-means-the-default",
    roles=BOTH_ENDS,
    also_trips={
        "xcharext.3.1.no-send-beyond-the-announced-size": (
            "a case goes back to the default at its end by a size of no octets"
        )
    },
)
class TakesNoOctetsForZero(PropertyRules):
    """Takes a receive buffer size of no octets for 0."""

    def default_of(self, value: DefaultValue) -> KnownProperty:
        found = super().default_of(value)
        return ReceiveBufferSize(0) if isinstance(found, ReceiveBufferSize) else found


def _mended(message: Rdma2Optional, octets: dict[int, int]) -> Option:
    """What a message would say if values of these codes and lengths stood for the default."""
    optinfo = bytearray(message.rdma_optinfo)
    for code, length in octets.items():
        place = optinfo.find(code.to_bytes(4, "big") + length.to_bytes(4, "big"))
        if place >= 0:
            optinfo[place + 4 : place + 12] = bytes(4)
    mended = Rdma2Optional(message.rdma_optdir, message.rdma_opttype, bytes(optinfo))
    return decode_option(mended)


@mutant(breaks="xcharext.2.1.invalid-data", roles=BOTH_ENDS)
class TakesAnyWordForAnyType(PropertyRules):
    """Takes a word that is no value of a property's type for its default."""

    def decode(self, message: Rdma2Optional) -> Option:
        try:
            return super().decode(message)
        except DecodeError:
            return _mended(message, {PROP_REQREMINV: 4, PROP_BRS: 4})


@mutant(breaks="xcharext.2.1.data-too-short", roles=BOTH_ENDS)
class FillsUpShortValues(PropertyRules):
    """Takes a value that is too short as if octets of zero followed."""

    def decode(self, message: Rdma2Optional) -> Option:
        try:
            return super().decode(message)
        except DecodeError as error:
            for length in (1, 2, 3):
                try:
                    return _mended(message, {PROP_REQREMINV: length, PROP_BRS: length})
                except DecodeError:
                    continue
            raise error from None


@mutant(breaks="xcharext.2.1.data-beyond-the-message", roles=BOTH_ENDS)
class ClipsLongValues(PropertyRules):
    """Takes a value that would end beyond the message as ending with it."""

    def decode(self, message: Rdma2Optional) -> Option:
        try:
            return super().decode(message)
        except DecodeError:
            if int.from_bytes(message.rdma_optinfo[-8:-4], "big") <= FOUR:
                raise
            optinfo = message.rdma_optinfo[:-8] + (4).to_bytes(4, "big") + bytes(4)
            clipped = Rdma2Optional(message.rdma_optdir, message.rdma_opttype, optinfo)
            return decode_option(clipped)


@mutant(
    breaks="xcharext.2.1.bit-of-an-element",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.3.1.reduction-after-the-peer-knows",
            "xcharext.4.3.",
            "xcharext.6.1.codes-of-any-size",
        ),
        "no place in an answer is what it is meant to be",
    ),
)
class NumbersBitsFromTheHighEnd(PropertyRules):
    """Gives the first element of a set the highest bit of a word."""

    def subset(self, positions: Iterable[int], *, high_bit_first: bool) -> tuple[int, ...]:
        return super().subset(positions, high_bit_first=not high_bit_first)


@mutant(
    breaks="xcharext.2.1.missing-words-are-zero",
    roles=BOTH_ENDS,
    also_trips={
        "xcharext.4.3.other-value-is-taken": (
            "an answer without words says that the first property is done and rejected, too"
        )
    },
)
class FillsUpSubsetsWithOnes(PropertyRules):
    """Takes the words that a subset leaves out for words of ones."""

    def members(self, words: Iterable[int], *, high_bit_first: bool) -> frozenset[int]:
        given = tuple(words)
        found = super().members(given, high_bit_first=high_bit_first)
        return found | frozenset(range(32 * len(given), 32 * len(given) + 32))


@mutant(breaks="xcharext.2.1.xdr-error-changes-nothing", roles=BOTH_ENDS)
class AppliesWhatPrecedesFaults(OptionalHalf):
    """Reports a faulty value, and takes the size that stands before it."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        body = decode_header(message)[0].rdma_body
        if isinstance(body, Rdma2Optional):
            try:
                decode_option(body)
            except DecodeError:
                octets = int.from_bytes(body.rdma_optinfo[12:16], "big")
                self.exchange.peer = self.exchange.peer.changed(ReceiveBufferSize(octets))
                self.apply()
        return actions


@mutant(breaks="xcharext.4.4.new-values-replace-the-old", roles=("responder",))
class ForgetsTheUpdateBefore(PropertyRules):
    """Applies each update to what held before the first one."""

    def updated(self, peer: PropertyValues, changes: Iterable[KnownProperty]) -> PropertyValues:
        first: PropertyValues = vars(self).setdefault("first", peer)
        return super().updated(first, changes)
