from __future__ import annotations

from fuzz.differential.for_rpcgen import for_rpcgen


def test_integers_have_the_names_that_libtirpc_has_functions_for() -> None:
    text = "typedef unsigned int uint32;\ntypedef unsigned hyper uint64;\nuint32 a; uint64 b;\n"
    assert for_rpcgen(text).endswith("held_octets;\nuint32_t a; uint64_t b;\n")


def test_names_that_libtirpc_has_become_others() -> None:
    made = for_rpcgen("enum msg_type { CALL = 0, REPLY = 1 }; enum msg_type rdma_msg_type;")
    assert "enum wire_msg_type { wire_CALL = 0, wire_REPLY = 1 }" in made
    assert "enum wire_msg_type rdma_msg_type;" in made


def test_arms_of_one_field_become_one() -> None:
    made = for_rpcgen("case A:\n    lists both;\ncase B:\n    lists both;\ncase C:\n    lists c;\n")
    assert made.split() == [
        *("%extern", "__thread", "u_int", "held_octets;"),
        *("case", "A:", "case", "B:", "lists", "both;", "case", "C:", "lists", "c;"),
    ]


def test_arms_without_a_field_stay() -> None:
    arms = "case A:\n    void;\ncase B:\n    void;\n"
    assert for_rpcgen(arms).endswith(arms)


def test_arrays_without_a_bound_get_that_of_the_input() -> None:
    made = for_rpcgen("opaque info<>;\nstruct segment target<>;\nopaque other<8>;\n")
    assert "info<held_octets>;\nstruct segment target<held_octets>;\nopaque other<8>;" in made
