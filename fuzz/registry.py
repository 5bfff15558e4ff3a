"""The fuzz harnesses: each file of `fuzz.harnesses` is one, and says all about itself.

The name of a harness is that of its file, `v1-header` for `v1_header.py`; its corpus is the folder
of that name, unless the harness says that it begins with another's.  Nothing here needs atheris,
which only the fuzzed process imports.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.bad_input import BadInput
from fuzz import harnesses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fuzz.structure.mutator import Mutator

__all__ = [
    "FuzzHarness",
    "corpus_of",
    "dictionary_of",
    "find_harness",
    "harness_names",
    "keep_input",
]

_PACKAGE: Final = Path(str(files("fuzz")))


@dataclass(frozen=True, slots=True)
class FuzzHarness:
    """One harness, as its file declares it under the name `HARNESS`.

    Attributes:
        title: what is fuzzed, for people.
        dictionary: file of `fuzz/dictionaries` with the words of its protocol.
        check: raises `BrokenInvariant` if the invariant does not hold of an input and a subject.
        reference: makes the subject that is fuzzed unless another is asked for.
        messages: an input as the messages of RPC-over-RDMA in it: how people and targets take it.
        seeds: inputs to begin with, out of the messages that one case of the suite sent.
        mutator: makes inputs of inputs; None: libFuzzer's own alone.
        corpus: name of the harness with whose corpus it begins; empty: it has its own.
        prepare: makes what it takes beside Python, once for this machine; raises `BadInput`, which
            says what to install, where that cannot be.
        counters: memory in which code that is not Python counts its blocks.
    """

    title: str
    dictionary: str
    check: Callable[[bytes, Any], None]
    reference: Callable[[], Any]
    messages: Callable[[bytes], list[bytes]]
    seeds: Callable[[Sequence[bytes]], Iterable[bytes]]
    mutator: Mutator | None = None
    corpus: str = ""
    prepare: Callable[[], object] = lambda: None
    counters: Callable[[], bytearray] | None = None


def harness_names() -> tuple[str, ...]:
    """Of every harness, sorted; none is imported for it."""
    found = (module.name for module in pkgutil.iter_modules(harnesses.__path__))
    return tuple(sorted(name.replace("_", "-") for name in found))


def find_harness(name: str) -> FuzzHarness:
    """The harness of a name.

    Raises:
        BadInput: there is none; the message says which there are.
    """
    if name not in harness_names():
        known = ", ".join(harness_names())
        raise BadInput(f"no harness is called {name!r}; there are: {known}")
    module = importlib.import_module(f"{harnesses.__name__}.{name.replace('-', '_')}")
    found = getattr(module, "HARNESS", None)
    if not isinstance(found, FuzzHarness):
        raise BadInput(f"{module.__file__} declares no `HARNESS`")
    return found


def corpus_of(name: str) -> Path:
    """Where the inputs are that the harness of a name begins with.

    Raises:
        BadInput: there is none.
    """
    return _PACKAGE / "corpus" / (find_harness(name).corpus or name)


def keep_input(corpus: Path, octets: bytes) -> None:
    """Write an input into a corpus, in a file named by its octets: the same one is there once."""
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)


def dictionary_of(harness: FuzzHarness) -> Path:
    """The words of its protocol."""
    return _PACKAGE / "dictionaries" / harness.dictionary
