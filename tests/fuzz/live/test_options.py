"""What `rpcrdma fuzz --help` says of `--live`."""

from __future__ import annotations

import argparse

from fuzz.live.options import add_options


def test_the_options_stand_together_and_have_usual_values() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    chosen = parser.parse_args([])
    assert (chosen.output, chosen.kernel, chosen.fabric) == (None, "", "")
    assert not chosen.ftrace
    assert (chosen.destructive, chosen.empty, chosen.no_blocks, chosen.scenarios) == (False,) * 4
    assert chosen.modules.split(",") == ["rpcrdma", "sunrpc"]
    assert "with --live:" in parser.format_help()
