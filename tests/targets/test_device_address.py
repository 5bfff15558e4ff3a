"""Which address stands for this machine's RDMA devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DeviceUnavailable
from targets.device_address import device_address, has_rdma_device

if TYPE_CHECKING:
    from pathlib import Path


def identifiers(folder: Path, device: str, *texts: str) -> None:
    gids = folder / device / "ports" / "1" / "gids"
    gids.mkdir(parents=True)
    for index, text in enumerate(texts):
        (gids / str(index)).write_text(f"{text}\n")


def test_a_device_is_there_when_the_kernel_has_a_folder_for_it(tmp_path: Path) -> None:
    assert not has_rdma_device(tmp_path / "nothing")
    assert not has_rdma_device(tmp_path)
    (tmp_path / "rxe0").mkdir()
    assert has_rdma_device(tmp_path)


def test_the_first_ipv4_address_is_taken(tmp_path: Path) -> None:
    local, unused = "fe80:0000:0000:0000:0000:00ff:fe00:0001", ":".join(["0000"] * 8)
    identifiers(tmp_path, "mlx5_0", local, unused)
    identifiers(tmp_path, "rxe0", local, "0000:0000:0000:0000:0000:ffff:0a09:0001")
    assert device_address(tmp_path) == "10.9.0.1"


def test_without_any_the_sentence_tells_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DeviceUnavailable, match="no RDMA device of this machine has an IPv4"):
        device_address(tmp_path / "nothing")
