"""The shapes of chunks that are sent: every two values of two factors meet in one of them.

Drawn once by `conformance.tester.covering` from the factors of `conformance.tester.client.shapes`
and kept, so that the names of cases do not change when a value is added: then rows are added at
the end, those that `tests/conformance/tester/client/test_shape_rows.py` finds missing.
"""

from __future__ import annotations

from typing import Final

from conformance.tester.client.shapes import Shape

__all__ = ["SHAPES"]

_ROWS: Final = """
store       4     inline    kept        bare    apart     listed   none        none
store       1     one       one         padded  joined    reversed odd         fit
store       3     two       two         apart   scattered listed   seventeen   odd
store       65535 odd       odd         bare    scattered reversed none        fit
store       1501  sixteen   sixteen     bare    apart     reversed odd         odd
store       65536 seventeen seventeen   bare    apart     listed   odd         fit
store       65537 inline    empty-first padded  scattered listed   odd         none
store       0     two       kept        bare    apart     listed   odd         fit
store       1501  seventeen empty-last  bare    joined    listed   odd         none
store       1501  inline    one         short-1 apart     listed   none        none
store       1501  inline    two         short-4 apart     listed   none        none
store       1501  inline    odd         long-1  apart     listed   none        none
store       1501  inline    one         long-4  apart     listed   none        none
store       4     seventeen one         bare    apart     listed   none        none
store       1     two       sixteen     bare    scattered listed   none        none
store       1     sixteen   one         padded  apart     listed   none        none
store       3     sixteen   odd         padded  apart     reversed seventeen   none
store       3     seventeen odd         apart   apart     listed   none        none
store       65535 sixteen   two         apart   apart     listed   odd         none
store       1     inline    seventeen   apart   apart     listed   none        none
store       65536 sixteen   odd         bare    apart     listed   none        none
store       65537 seventeen one         bare    apart     listed   none        none
store       4     one       sixteen     bare    apart     listed   none        none
store       3     one       seventeen   bare    apart     listed   none        none
store       65535 odd       seventeen   apart   apart     listed   none        none
store       65536 odd       sixteen     bare    apart     listed   none        none
store       65537 inline    two         bare    apart     listed   none        none
store       65537 inline    odd         bare    apart     listed   none        none
store       65537 inline    sixteen     bare    apart     listed   none        none
store       65537 inline    seventeen   bare    apart     listed   none        none
store       1501  odd       empty-first bare    apart     listed   none        odd
store       1501  one       empty-last  bare    apart     listed   none        none
store       1501  odd       empty-last  bare    apart     listed   none        none
store       1501  sixteen   empty-first bare    apart     listed   none        none
store       1501  sixteen   empty-last  bare    apart     listed   none        none
store       1501  seventeen empty-first bare    apart     listed   none        none
store       1501  odd       one         short-1 apart     listed   none        none
store       1501  odd       one         short-4 apart     listed   none        none
store       1501  odd       one         long-1  apart     listed   none        none
store       1501  odd       one         long-4  apart     listed   none        none
store       1501  sixteen   one         short-1 apart     listed   none        none
store       1501  sixteen   one         short-4 apart     listed   none        none
store       1501  sixteen   one         long-1  apart     listed   none        none
store       1501  sixteen   one         long-4  apart     listed   none        none
store       1501  seventeen one         short-1 apart     listed   none        none
store       1501  seventeen one         short-4 apart     listed   none        none
store       1501  seventeen one         long-1  apart     listed   none        none
store       1501  seventeen one         long-4  apart     listed   none        none
fetch       0     inline    kept        bare    joined    listed   fit         sixteen
fetch       1501  one       kept        bare    scattered listed   sixteen     short
fetch       1     odd       kept        bare    apart     listed   seventeen   seventeen
fetch       4     odd       kept        bare    joined    listed   empty       odd
fetch       65535 inline    kept        bare    apart     listed   odd         empty
fetch       65536 inline    kept        bare    joined    listed   surplus     short
fetch       3     inline    kept        bare    apart     listed   sixteen     fit
fetch       65537 one       kept        bare    apart     listed   none        sixteen
fetch       4     inline    kept        bare    apart     listed   empty-first none
fetch       4     inline    kept        bare    apart     listed   short       none
fetch       1501  inline    kept        bare    joined    listed   odd         empty-first
fetch       1501  one       kept        bare    joined    listed   empty-first fit
fetch       1501  one       kept        bare    joined    listed   short       fit
fetch       65536 inline    kept        bare    apart     listed   fit         fit
fetch       1501  inline    kept        bare    scattered listed   none        seventeen
fetch       65535 inline    kept        bare    apart     listed   seventeen   short
fetch       65536 inline    kept        bare    apart     listed   sixteen     none
fetch       1501  inline    kept        bare    apart     listed   none        sixteen
fetch       65535 inline    kept        bare    apart     listed   none        sixteen
fetch       65535 inline    kept        bare    apart     listed   none        seventeen
fetch       65536 inline    kept        bare    apart     listed   none        sixteen
fetch       65537 inline    kept        bare    apart     listed   none        seventeen
fetch       4     odd       kept        bare    scattered listed   empty-first odd
fetch       4     odd       kept        bare    scattered listed   short       odd
fetch       4     inline    kept        bare    apart     listed   empty       none
store-two   4     one       two         bare    apart     reversed seventeen   none
store-two   1     inline    odd         apart   joined    listed   none        odd
store-two   3     odd       one         padded  apart     listed   none        none
store-two   1501  two       seventeen   padded  joined    reversed none        none
store-two   65537 sixteen   kept        bare    joined    listed   seventeen   fit
store-two   65535 seventeen sixteen     padded  joined    listed   none        none
store-two   65536 two       one         bare    scattered reversed odd         none
store-two   0     seventeen kept        bare    scattered listed   seventeen   odd
store-two   1501  two       empty-first bare    joined    listed   none        fit
store-two   1501  inline    empty-last  padded  scattered reversed seventeen   fit
store-two   1501  one       odd         short-1 joined    listed   none        none
store-two   1501  one       one         short-4 joined    listed   none        none
store-two   1501  one       one         long-1  joined    listed   none        none
store-two   1501  one       two         long-4  joined    listed   none        none
fetch-two   4     inline    kept        bare    scattered listed   empty-used  fit
fetch-two   3     one       kept        bare    joined    listed   fit         seventeen
fetch-two   0     odd       kept        bare    apart     listed   sixteen     short
fetch-two   65535 one       kept        bare    apart     listed   none        empty-first
fetch-two   65536 one       kept        bare    scattered listed   few         odd
fetch-two   1501  inline    kept        bare    apart     listed   empty       fit
fetch-two   65537 odd       kept        bare    apart     listed   fit         none
fetch-two   1     inline    kept        bare    apart     listed   odd         sixteen
fetch-two   4     one       kept        bare    scattered listed   surplus     none
fetch-two   4     one       kept        bare    joined    listed   seventeen   empty
fetch-two   4     inline    kept        bare    apart     listed   few         none
fetch-two   1501  one       kept        bare    apart     listed   empty-used  odd
fetch-two   1501  odd       kept        bare    joined    listed   few         fit
fetch-two   65536 odd       kept        bare    joined    listed   empty-used  fit
fetch-two   4     inline    kept        bare    apart     listed   empty-used  none
fetch-two   4     inline    kept        bare    apart     listed   empty-used  short
fetch-two   4     inline    kept        bare    apart     listed   few         short
second-only 4     inline    kept        bare    apart     listed   fit         empty-first
second-only 0     one       kept        bare    scattered listed   none        sixteen
second-only 1     odd       kept        bare    joined    listed   sixteen     none
second-only 1501  odd       kept        bare    apart     listed   surplus     fit
second-only 65536 inline    kept        bare    apart     listed   seventeen   seventeen
second-only 3     inline    kept        bare    apart     listed   odd         short
second-only 65535 inline    kept        bare    apart     listed   fit         odd
second-only 65537 inline    kept        bare    apart     listed   sixteen     short
second-only 4     one       kept        bare    scattered listed   empty       short
second-only 4     odd       kept        bare    scattered listed   none        empty
long-store  4     two       odd         bare    apart     listed   odd         none
long-store  0     sixteen   kept        bare    scattered listed   none        none
long-store  1     seventeen two         padded  joined    reversed seventeen   odd
long-store  3     inline    sixteen     apart   apart     listed   odd         fit
long-store  1501  one       empty-first apart   apart     reversed seventeen   none
long-store  65535 two       one         apart   apart     listed   seventeen   odd
long-store  65536 odd       two         bare    apart     listed   none        fit
long-store  65537 two       empty-last  apart   apart     reversed none        odd
long-store  4     sixteen   seventeen   bare    scattered listed   none        odd
long-store  1501  two       two         short-1 scattered listed   none        none
long-store  1501  two       odd         short-4 scattered listed   none        none
long-store  1501  two       two         long-1  scattered listed   none        none
long-store  1501  two       odd         long-4  scattered listed   none        none
long-fetch  4     inline    kept        bare    apart     listed   sixteen     odd
long-fetch  1     one       kept        bare    scattered listed   fit         short
long-fetch  3     odd       kept        bare    joined    listed   odd         sixteen
long-fetch  0     inline    kept        bare    apart     listed   none        seventeen
long-fetch  1501  inline    kept        bare    apart     listed   fit         empty
long-fetch  65536 inline    kept        bare    apart     listed   empty       fit
long-fetch  65535 inline    kept        bare    apart     listed   sixteen     none
long-fetch  65537 inline    kept        bare    apart     listed   seventeen   sixteen
long-fetch  4     inline    kept        bare    apart     listed   surplus     odd
long-fetch  4     inline    kept        bare    apart     listed   none        empty-first
small       4     inline    kept        bare    apart     listed   none        none
small       4     one       kept        bare    joined    listed   odd         fit
small       4     odd       kept        bare    scattered listed   seventeen   odd
nothing     4     inline    kept        bare    apart     listed   none        none
nothing     4     one       kept        bare    joined    listed   odd         fit
nothing     4     odd       kept        bare    scattered listed   seventeen   odd
long-reply  4     inline    kept        bare    apart     listed   none        empty
long-reply  4     one       kept        bare    joined    listed   odd         seventeen
long-reply  4     odd       kept        bare    scattered listed   seventeen   empty-first
long-reply  4     inline    kept        bare    apart     listed   none        sixteen
long-reply  4     inline    kept        bare    apart     listed   none        short
long-reply  4     inline    kept        bare    apart     listed   none        none
long-reply  4     inline    kept        bare    apart     listed   none        fit
long-reply  4     inline    kept        bare    apart     listed   none        odd
garbage     4     inline    kept        bare    apart     listed   none        none
garbage     4     inline    kept        bare    joined    listed   odd         fit
garbage     4     inline    kept        bare    scattered listed   seventeen   odd
"""

SHAPES: Final = tuple(Shape(*row.split()) for row in _ROWS.strip().splitlines())
"""All of them."""
