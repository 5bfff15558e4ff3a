"""The decoder that rpcgen makes, where this machine has what that takes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.bad_input import BadInput
from fuzz.differential.c_decoder import CDecoder
from fuzz.differential.compiled import REMEDY, Item, build

TIRPC = Path("/usr/include/tirpc/rpc/rpc.h")


def is_complete() -> bool:
    """Whether all is here of which the decoder is made."""
    return bool(shutil.which("rpcgen") and shutil.which("cc")) and TIRPC.is_file()


def real_decoder(item: Item) -> CDecoder | None:
    """The decoder; where it cannot be, None, if the sentence is right that says what to install."""
    if is_complete():
        return CDecoder(build(item))
    with pytest.raises(BadInput) as caught:
        build(item)
    assert str(caught.value).endswith(REMEDY)
    return None
