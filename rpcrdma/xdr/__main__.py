"""`python -m rpcrdma.xdr`: what `rpcrdma dev xdr` does, without any generated file.

The command line is made of the generated codecs.  Where one is missing or broken, or does not fit
the code yet that is written for a changed specification, it does not start; this does.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from rpcrdma.xdr.compiler import add_arguments, run
from rpcrdma.xdr.parse import XdrError

if TYPE_CHECKING:
    from collections.abc import Sequence

_BAD_INPUT: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m rpcrdma.xdr",
        description="The XDR compiler: codecs, hypothesis strategies and fuzz dictionaries.",
        epilog="example: python -m rpcrdma.xdr lint rpcrdma/spec/rfc8166.x",
    )
    add_arguments(parser)
    try:
        return run(parser.parse_args(arguments))
    except (XdrError, OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{error}\n")
        return _BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
