"""The C decoders, built for AddressSanitizer, in a process that it watches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fuzz.differential.address_sanitizer import has_address_sanitizer
from fuzz.differential.compiled import V1, V2
from tests.fuzz.differential.real import is_complete, real_decoder

DECODES = """
from fuzz.differential.address_sanitizer import has_address_sanitizer
from fuzz.differential.c_decoder import CDecoder
from fuzz.differential.compiled import V1, V2, build
from fuzz.registry import corpus_of

assert has_address_sanitizer()
for item, corpus in ((V1, "v1-header"), (V2, "v2-header")):
    decoder = CDecoder(build(item))
    for path in sorted(corpus_of(corpus).iterdir()):
        octets = path.read_bytes()
        for end in range(0, len(octets) + 1, 4):
            decoder.decode(octets[:end])
            decoder.decode(octets[:end] + bytes.fromhex("00000001 ffffffff 00000001"))
print("decoded")
"""


def test_this_process_is_not_watched() -> None:
    assert not has_address_sanitizer()


def test_no_input_of_the_corpora_has_c_touch_what_it_may_not() -> None:
    for item in (V1, V2):
        real_decoder(item)
    if not is_complete():
        return
    told = subprocess.run(
        ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    library = Path(told.stdout.strip())
    assert library.is_file(), "gcc brings it; clang has it by another name"
    watched = {
        **os.environ,
        "LD_PRELOAD": f"{library} libtirpc.so.3",
        "ASAN_OPTIONS": "detect_leaks=0",
    }
    ran = subprocess.run(
        [sys.executable, "-c", DECODES], env=watched, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "decoded\n", ran.stderr[-2000:]
