"""Rules, chance and counts of one direction."""

from __future__ import annotations

from rpcrdma.roce.link.fault_choice import FaultChoice, MetFault, rules_of
from rpcrdma.roce.link.faults import FrameAct, FrameDirection, FrameFaults
from rpcrdma.roce.packet.bth import BthOpcode, Packet, encode

SENT, RECEIVED = FrameDirection.SENT, FrameDirection.RECEIVED


def payload(opcode: BthOpcode = BthOpcode.SEND_ONLY, psn: int = 5) -> bytes:
    return encode(Packet(opcode, 17, psn)) + bytes(4)


def acts(
    text: str, opcodes: list[BthOpcode], direction: FrameDirection = SENT
) -> list[tuple[FrameAct, ...]]:
    """What each of the packets meets."""
    choice = FaultChoice(FrameFaults.parse(text), direction)
    met = [choice.choose(payload(opcode), 0.0) for opcode in opcodes]
    return [() if each is None else each.acts for each in met]


SEND, WRITE = BthOpcode.SEND_ONLY, BthOpcode.WRITE_ONLY
DROP = (FrameAct.DROP,)


def test_a_rule_counts_the_packets_of_its_opcode() -> None:
    found = acts("sent.SEND_ONLY.2=drop", [SEND, WRITE, SEND, SEND])

    assert found == [(), (), DROP, ()]


def test_a_rule_for_any_counts_all() -> None:
    assert acts("sent.ANY.2-3=drop", [SEND, WRITE, SEND, SEND]) == [(), DROP, DROP, ()]


def test_a_rule_without_an_end_goes_on() -> None:
    assert acts("sent.SEND_ONLY.2-=drop", [SEND] * 4) == [(), DROP, DROP, DROP]


def test_a_rule_of_the_other_direction_does_not_count() -> None:
    assert acts("received.ANY.1=drop", [SEND]) == [()]
    assert acts("received.ANY.1=drop", [SEND], RECEIVED) == [DROP]


def test_several_rules_apply_together() -> None:
    found = acts("sent.ANY.1=duplicate,sent.SEND_ONLY.1=corrupt", [SEND])

    assert found == [(FrameAct.DUPLICATE, FrameAct.CORRUPT)]


def test_what_is_dropped_meets_nothing_else() -> None:
    assert acts("loss=1,duplicate=1,delay=1", [SEND]) == [DROP]


def test_what_is_delayed_does_not_wait_for_the_next() -> None:
    assert acts("delay=1,reorder=1", [SEND]) == [(FrameAct.DELAY,)]


def test_where_a_rule_applies_chance_does_not() -> None:
    assert acts("loss=1,sent.ANY.2=delay", [SEND, SEND]) == [DROP, (FrameAct.DELAY,)]


def test_likelihoods_are_kept() -> None:
    """A thousand datagrams, a tenth of them: far from both ends of what chance may do."""
    found = acts("seed=3,loss=0.1", [SEND] * 1000)

    assert 60 < found.count(DROP) < 150
    assert found.count(()) == 1000 - found.count(DROP)


def test_the_same_seed_gives_the_same_faults() -> None:
    text = "seed=7,loss=0.1,duplicate=0.1,reorder=0.1,delay=0.1,corrupt=0.1"

    assert acts(text, [SEND] * 200) == acts(text, [SEND] * 200)


def test_another_seed_gives_others() -> None:
    assert acts("seed=7,loss=0.1", [SEND] * 200) != acts("seed=8,loss=0.1", [SEND] * 200)


def test_both_directions_have_chances_of_their_own() -> None:
    text, packets = "seed=7,loss=0.1", [SEND] * 200

    assert acts(text, packets, SENT) != acts(text, packets, RECEIVED)


def test_one_likelihood_does_not_change_what_another_does() -> None:
    """So a run can be told what to leave out, and the rest stays."""
    alone = acts("seed=7,loss=0.1", [SEND] * 200)
    both = acts("seed=7,loss=0.1,duplicate=0.5", [SEND] * 200)

    assert [each == DROP for each in alone] == [each == DROP for each in both]


def test_a_rule_does_not_change_what_chance_does_afterwards() -> None:
    alone = acts("seed=7,loss=0.1", [SEND] * 200)
    both = acts("seed=7,loss=0.1,sent.ANY.1-10=delay", [SEND] * 200)

    assert alone[10:] == both[10:]


def test_a_choice_without_faults_is_idle() -> None:
    assert FaultChoice(FrameFaults.parse("seed=7,sent.loss=1"), RECEIVED).is_idle
    assert not FaultChoice(FrameFaults.parse("seed=7,sent.loss=1"), SENT).is_idle
    assert not FaultChoice(FrameFaults.parse("sent.ANY.9=drop"), SENT).is_idle


def test_what_was_met_can_be_read() -> None:
    choice = FaultChoice(FrameFaults.parse("sent.ANY.2=corrupt,sent.ANY.2=duplicate"), SENT)
    choice.choose(payload(), 1.0)
    met = choice.choose(payload(psn=0x123456), 1.5)

    assert met == MetFault(
        1.5, SENT, 2, BthOpcode.SEND_ONLY, 0x123456, (FrameAct.DUPLICATE, FrameAct.CORRUPT)
    )
    assert str(met) == "1.500000 sent 2 SEND_ONLY psn 1193046: duplicate corrupt"


def test_octets_that_are_no_packet_are_counted_too() -> None:
    choice = FaultChoice(FrameFaults.parse("loss=1"), SENT)

    assert str(choice.choose(b"", 0.0)) == "0.000000 sent 1 SEND_FIRST psn 0: drop"
    assert str(choice.choose(b"\xc0", 0.0)) == "0.000000 sent 2 opcode 0xc0 psn 0: drop"


def test_a_log_becomes_rules_that_do_it_again() -> None:
    text = "seed=7,loss=0.1,duplicate=0.1,corrupt=0.1"
    choice = FaultChoice(FrameFaults.parse(text), SENT)
    met = [choice.choose(payload(), 0.0) for _ in range(100)]
    rules = rules_of(each for each in met if each is not None)
    again = FaultChoice(FrameFaults(rules=rules), SENT)

    assert [again.choose(payload(), 0.0) for _ in range(100)] == met
    assert FrameFaults.parse(str(FrameFaults(rules=rules))).rules == rules
    assert len(rules) > 10
