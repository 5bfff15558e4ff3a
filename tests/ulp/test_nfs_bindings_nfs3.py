"""The rows of NFSv3 in `nfs_bindings.toml` say what `nfs3_binding` computes from the codec."""

from __future__ import annotations

import pytest

from rpcrdma.ulp import nfs3_binding
from rpcrdma.ulp.nfs_bindings import limits, nfs_binding
from rpcrdma.wire import _generated_nfs3 as wire

ROWS = nfs_binding("nfs3").rows


@pytest.mark.parametrize("procedure", nfs3_binding.LARGEST_FIXED)
def test_the_fixed_part_of_the_results_is_that_of_the_codec(procedure: wire.NFS_V3) -> None:
    assert ROWS[procedure].fixed == nfs3_binding.LARGEST_FIXED[procedure]


def test_every_procedure_is_in_the_table_under_its_own_name() -> None:
    names = {number: row.name for number, row in ROWS.items()}

    assert names == {number: number.name.removeprefix("NFSPROC3_") for number in wire.NFS_V3}


@pytest.mark.parametrize("count", [0, 5, 91, 4096])
def test_what_is_asked_for_makes_a_reply_grow_alike(count: int) -> None:
    handle = wire.FileHandle(b"h")
    verifier = bytes(wire.NFS3_COOKIEVERFSIZE)
    read = nfs3_binding.read_maximum(wire.ReadArguments(handle, 0, count))
    listing = nfs3_binding.read_directory_maximum(wire.ReaddirArguments(handle, 0, verifier, count))
    plus = nfs3_binding.read_directory_plus_maximum(
        wire.ReaddirPlusArguments(handle, 0, verifier, 0, count)
    )

    largest = ROWS[wire.NFS_V3.NFSPROC3_READ].largest(count)

    assert (largest.total, (largest.item,)) == read
    assert ROWS[wire.NFS_V3.NFSPROC3_READDIR].largest(count).total == listing[0]
    assert ROWS[wire.NFS_V3.NFSPROC3_READDIRPLUS].largest(count).total == plus[0]
    assert limits()["link"] == nfs3_binding.LINK_MAXIMUM
