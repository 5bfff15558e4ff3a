r"""Whether AddressSanitizer watches this process: it has to be there before anything else is.

    LD_PRELOAD="$(cc -print-file-name=libasan.so) libtirpc.so.3" ASAN_OPTIONS=detect_leaks=0 \
        rpcrdma fuzz v1-header-c

libtirpc is named behind it: the sanitizer looks once, at the start, for the functions of XDR that
it watches, and calls nothing at all in their place where there were none.  Leaks are not looked
for, since Python leaves what it holds when it ends.
"""

from __future__ import annotations

import ctypes
from functools import cache

__all__ = ["has_address_sanitizer"]


@cache
def has_address_sanitizer() -> bool:
    """Whether it was preloaded; C that is compiled for it loads only then."""
    return hasattr(ctypes.CDLL(None), "__asan_init")
