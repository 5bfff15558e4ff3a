"""Functions found by address."""

from __future__ import annotations

from fuzz.live.coverage import Block
from fuzz.live.symbols import Symbols

LINES = """\
ffffffffc0002000 t later	[sunrpc]
ffffffff81000000 T of_the_kernel_itself
ffffffffc0001000 t first	[rpcrdma]
ffffffffc0001020 T second	[rpcrdma]
ffffffffc0001018 t __pfx_second	[rpcrdma]
ffffffffc0001024 d a_table	[rpcrdma]
""".splitlines()


def test_a_block_is_named_by_its_module_function_and_offset() -> None:
    symbols = Symbols(LINES)
    assert symbols.block(0xFFFF_FFFF_C000_1000) == Block("rpcrdma", "first", 0)
    assert symbols.block(0xFFFF_FFFF_C000_1019) == Block("rpcrdma", "first", 0x19)
    assert symbols.block(0xFFFF_FFFF_C000_1028) == Block("rpcrdma", "second", 8)
    assert symbols.block(0xFFFF_FFFF_C000_2004) == Block("sunrpc", "later", 4)
    assert str(symbols.block(0xFFFF_FFFF_C000_2004)) == "sunrpc:later+0x4"


def test_nothing_is_before_the_first_function() -> None:
    assert Symbols(LINES).block(0xFFFF_FFFF_C000_0000) is None
    assert Symbols([]).block(0xFFFF_FFFF_C000_0000) is None


def test_the_functions_of_some_modules_are_listed() -> None:
    functions = Symbols(LINES).functions(frozenset({"rpcrdma"}))
    assert functions == {("rpcrdma", "first"), ("rpcrdma", "second")}
