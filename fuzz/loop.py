"""libFuzzer's loop around a harness, by atheris: what every fuzzed process does alike.

Only such a process imports atheris, which hooks the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.registry import FuzzHarness
    from fuzz.structure.mutator import Mutator, Raw

__all__ = ["fuzz_on", "hooks_of"]


def fuzz_on(
    command: Sequence[str],
    harness: FuzzHarness,
    try_one: Callable[[bytes], None],
    mutator: Mutator | None,
) -> None:
    """Try input after input until libFuzzer's limits or a signal USR1; does not return then.

    Args:
        command: the program that is running, libFuzzer's options, and folders of inputs.
        harness: whose library counts its blocks.
        try_one: an exception that leaves it ends the run, and the input is kept as a crash.
        mutator: makes inputs of inputs; None: libFuzzer's own alone.
    """
    import atheris

    from fuzz.counters import give_to_fuzzer
    from fuzz.instrument import Blocks, instrument_library

    uncounted = [Blocks()]

    def counted(octets: bytes) -> None:
        # The first counter loads libFuzzer, which looks for a mutator then and never again; before
        # the first input that would be before atheris has told of one.
        while uncounted:
            instrument_library(uncounted.pop())
            if harness.counters:
                give_to_fuzzer(harness.counters())
        try_one(octets)

    def raw(octets: bytes, maximum: int) -> bytes:
        # `Fuzz` puts the real one into the module, so it is looked up when it is called.
        made: bytes = atheris.Mutate(octets, maximum)
        return made

    hooks = hooks_of(mutator, raw) if mutator else {}
    program, *options = command
    # Short inputs first, as without a mutator: libFuzzer leaves that to one that it is given.
    atheris.Setup([program, "-len_control=100", *options], counted, **hooks)
    atheris.Fuzz()


def hooks_of(mutator: Mutator, raw: Raw) -> dict[str, Callable[..., bytes]]:
    """A mutator as atheris calls it; `raw` is libFuzzer's own mutation."""

    def mutate(octets: bytes, maximum: int, seed: int) -> bytes:
        return mutator.mutate(octets, maximum, seed, raw)

    def cross(first: bytes, second: bytes, maximum: int, seed: int) -> bytes:
        return mutator.cross(first, second, maximum, seed, raw)

    return {"custom_mutator": mutate, "custom_crossover": cross}
