"""Explanations that recur among mutants: why one deviation breaks what several statements say.

A value of `also_trips` (`targets.mutants.base.mutant`) is a sentence of the mutant's own, or one of
these.  Each goes with the ids or the sections that it is about in that mutant: none explains
whatever a mutant trips.  How a Requester's or Responder's messages look is judged before what they
do, so most of these are about what can no longer be seen.

Mutants of several files that trip the very same statements share the mapping, too; those stand at
the end.
"""

from __future__ import annotations

from typing import Final

# -- messages that cannot be read

UNREADABLE_HEADER: Final = "a header that cannot be read says nothing about what else is looked at"
"""The reply's chunk lists or fixed words are encoded wrongly, and nothing after them is found."""

UNREADABLE_RESULTS: Final = "a reply with results cannot be read, whatever else is looked at"
"""What stands after the header of such a reply is no Reply, and so it answers no Call."""

UNDECODABLE_RESULTS: Final = "a stream that lacks something, or has too much, cannot be decoded"
"""The reduced stream and the Write chunks make no valid stream (rfc8166 section 6.1) any more."""

UNREADABLE_CALL: Final = "no call can be read after such a header, whatever is looked at"
"""The header of a Call cannot be decoded, or ends elsewhere than where the RPC message begins."""

FORM: Final = "the same call breaks every rule about its form"
"""One part of a Call is wrong, and each statement about the chunks that it has to do with is, too.

The oracle names all of them, since a message does not show which one its sender had in mind.
"""

TOO_LONG: Final = "a message that is too long breaks every rule about lengths"
"""The threshold, the Receives and the chunks that the Call lacks are each broken by its length."""

UNDER_GSS: Final = "what is broken of calls and replies is met under RPCSEC_GSS as well"
"""A context changes nothing of how messages travel, but for what may be reduced (rfc8166 8.2.2)."""

# -- results and arguments

LENGTHS: Final = "a result is taken to be as long as the returned lengths say"
"""What a returned chunk says to hold is read, too much or too little (rfc8166 section 3.4.6)."""

WRITTEN_ELSEWHERE: Final = "results and replies are looked for where they should have been written"
"""The offered memory does not hold what the returned chunks say."""

NOT_IN_ITS_CHUNK: Final = "a result is looked for where its Write chunk is"
"""A result stays in the stream, or is put into another chunk than its own."""

NOT_TOLD_WHERE: Final = "nobody finds a reply without being told where it is"
"""The lists that would name the chunks with the results are not there."""

DISORDERED: Final = "an argument in several segments arrives disordered, whatever else is looked at"
"""The segments of a Read chunk are joined wrongly; calls with one segment are served."""

LOST_ARGUMENT: Final = "an argument in a Read chunk does not arrive, whatever else is looked at"
"""A Responder executes the Call without what it should have read (rfc8166 section 3.5.2)."""

BAD_COORDINATES: Final = "whoever uses such coordinates loses the connection, or writes elsewhere"
"""The handle, offset or length that a Requester gives is not that of its memory."""

NO_USE: Final = "no application can use such a result"
"""A client takes a right reply wrongly, and the act that made the Call fails."""

# -- what is refused, lost or repeated

REFUSED_FORM: Final = "a case that uses such a call for something else is refused, too"
"""A lawful form of a Call is refused; cases of other sections bring their arguments in it."""

NEEDS_SUCH_A_REPLY: Final = "a case that needs such a reply for something else does not get on"
"""A client does not take a lawful form of a reply, and its Call never ends."""

CAME_INLINE: Final = "a reply that was sent inline is not in the Reply chunk"
"""A reply longer than the threshold comes as a Short message, for which no Receive has room."""

REFUSED_INLINE: Final = (
    "a reply that would have come inline is refused where there is no Reply chunk"
)
"""The Responder takes a smaller threshold than is in force; no chunk was offered beyond that."""

NO_ERROR: Final = "there is no error message to look at"
"""A faulty header gets silence or the end of the connection in place of an RDMA_ERROR."""

SECOND_COPY: Final = "the second copy is taken for the answer to the next call"
"""What is sent twice comes where the answer to something else is looked at."""

CONNECTION_GONE: Final = "no message can be looked at after the connection is lost"
"""The mutant ends the connection before the case has what it waits for."""

LONG_COSTS_THE_CONNECTION: Final = "a message that is too long for a Receive costs the connection"
"""A message of more than 1024 octets, lawful in Version Two, finds too short a Receive."""

# -- credits

TOO_HIGH: Final = "a limit that is not the latest is too high a limit"
"""A Requester has more Calls in flight than the latest reply grants (rfc8166 section 3.3.1)."""

TOO_FEW_RECEIVES: Final = "there are not as many Receives as such a grant says"
"""A Responder grants more than it can take; whoever uses the grant loses the connection."""

# -- memory

STAYS_REGISTERED: Final = "memory that is never invalidated stays registered, however the call ends"
"""Memory of one kind of chunk stays open to the Responder (rfc8166 sections 4.4.1 and 8.1.3)."""

# -- the backward direction

NO_BACKWARD_CALL: Final = "no backward Call comes, though the profile claims that they do"
"""A server makes none, or what it makes is none; a case about what follows gets no further."""

NO_BACKWARD_REPLY: Final = "no Reply matches its Call"
"""A backward Call is never answered as far as its sender can see; a case cannot get further."""

NO_CALL_EXPECTED: Final = "nobody expects a Call as the first message of a connection"
"""A backward Call comes before the client has made itself ready for one (bidir section 2.2.3)."""

XID_IN_USE: Final = "a forward Call under the XID of a backward one gets no Reply"
"""The two directions' XIDs are taken for one space (bidir section 1.3.4.1)."""

# -- Version Two

DROPPED: Final = "what is dropped gets no answer"
"""A client drops backward Calls of Version Two; every case that makes one waits in vain."""

SEEN_BY_LONG_CALLS: Final = "properties are seen by calls that are long, or have long replies"
"""What a size property changes is the form of such a Call or Reply, which is wrong always."""

# -- round-trip reductions

LEFT_OVER: Final = "a longer group is taken without its last transmission, which stands alone"
"""A group of three Sends or more is taken for whole too early (rtrext sections 9.2 and 9.3)."""

WRONG_STREAM: Final = "no Reply can be read from such parts, whatever is looked at"
"""The parts of a response are not its Payload stream, or not as long as they say."""

SPOILT_ITEM: Final = "an item is put back with a wrong octet, whatever else is looked at"
"""What has left the Payload stream of a request returns to it spoilt (rtrext section 7.3)."""

ITEM_NOT_FOUND: Final = "an item is looked for where it is not, whatever else is looked at"
"""A Responder counts the target segments of a request otherwise (rtrext section 6.2)."""

MISPLACED: Final = "by another structure bulk data are not where their entries say"
"""A Responder takes the buffers of its Requester for others (rtrext section 7.2)."""

NO_REPORT: Final = "there is no error report to look at"
"""A faulty group is passed over, or reported under a code that nobody knows."""

OTHER_REPORT: Final = "the fault is reported by another error than the one that is looked for"
"""What a report says of its error is looked at after its code (rtrext section 9.5)."""

SPOILT_STREAM: Final = dict.fromkeys(
    (
        "bidir.1.5.2.forward-direction-is-undisturbed",
        "rfc8166.3.4.4.1.elements-stay-whole",
        "rfc8166.3.4.4.2.",
        "rfc8166.3.4.6.segment-count-returned",
        "rfc8166.3.5.2.writes-precede-the-reply",
        "rfc8166.6.1.reassembly-gives-a-valid-stream",
        "rfc8166.3.4.6.2.returned-length-is-the-items",
        "rfc8166.3.4.6.one-result-in-a-write-chunk",
        "rfc8166.3.4.6.write-chunk-filled-in-order",
        "rfc8166.4.3.2.1.results-fill-chunks-in-order",
        "rfc8166.4.3.2.2.",
        "rfc8166.4.3.2.3.empty-chunk-result-is-inline",
        "rfc8166.4.3.2.pushed-results-leave-the-stream",
        "rfc8166.4.7.write-list-encoding",
    ),
    UNDECODABLE_RESULTS,
)
"""A result that is cut out of the stream wrongly breaks these in every reply that has one."""

STAYS_IN_THE_STREAM: Final = dict.fromkeys(
    (
        "bidir.1.5.2.forward-direction-is-undisturbed",
        "rfc8166.2.2.2.reply-xid-is-the-calls",
        "rfc8166.3.2.no-other-framing",
        "rfc8166.3.3.1.",
        "rfc8166.3.4.",
        "rfc8166.3.5.2.writes-precede-the-reply",
        "rfc8166.4.1.2.header-layout",
        "rfc8166.4.3.",
        "rfc8166.4.5.",
        "rfc8166.4.6.",
        "rfc8166.4.7.write-list-encoding",
    ),
    NOT_IN_ITS_CHUNK,
)
"""Results that stay in the stream although there is a Write chunk for them break these."""

NO_LONG_CALLS: Final = dict.fromkeys(
    (
        "bidir.1.5.2.forward-direction-is-undisturbed",
        "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
        "rfc8166.3.4.3.memory-used-by-responder",
        "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
        "rfc8166.3.5.3.",
        "rfc8166.4.3.1.read-list-empty-in-replies",
        "rfc8166.4.5.",
        "rfc8166.6.1.ineligible-items-in-long-messages",
    ),
    REFUSED_FORM,
)
"""The cases that need a Long Call for something else look at these statements."""

DISORDERED_ARGUMENTS: Final = dict.fromkeys(
    (
        "rfc8166.3.4.",
        "rfc8166.3.5.",
        "rfc8166.4.2.4.",
        "rfc8166.4.3.1.1.position-tells-where-to-reinsert",
        "rfc8166.4.5.",
    ),
    DISORDERED,
)
"""An argument whose segments are joined in another order breaks these."""
