"""Which kernel is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.kernel import BOOT_MODULES, REQUIRED_MODULES, installed_kernels, select_kernel
from targets.lab.kernel_cache import remember

if TYPE_CHECKING:
    from pathlib import Path


ALL_MODULES = (*REQUIRED_MODULES, *BOOT_MODULES)


def install(
    root: Path, release: str, modules: tuple[str, ...] = ALL_MODULES, suffix: str = ".ko.xz"
) -> Path:
    folder = root / "lib/modules" / release
    folder.mkdir(parents=True)
    lines = [
        f"kernel/drivers/{name.replace('_', '-')}{suffix}: kernel/other.ko\n" for name in modules
    ]
    (folder / "modules.dep").write_text("".join(lines))
    (root / "boot").mkdir(exist_ok=True)
    image = root / "boot" / f"vmlinuz-{release}"
    image.write_bytes(bytes(1024))
    return image


def bz_image(path: Path, release: bytes) -> Path:
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (0x100).to_bytes(2, "little")
    path.write_bytes(bytes(head[:0x300]) + release + b" (builder@host)\0rest")
    return path


def test_newest_release_comes_first_by_number_not_by_text(tmp_path: Path) -> None:
    for release in ("6.1.0-9-amd64", "6.10.2-amd64", "6.1.0-56-amd64", "6.9.1-amd64"):
        install(tmp_path, release)
    assert [kernel.release for kernel in installed_kernels(tmp_path)] == [
        "6.10.2-amd64",
        "6.9.1-amd64",
        "6.1.0-56-amd64",
        "6.1.0-9-amd64",
    ]


def test_without_a_name_the_newest_with_all_modules_is_taken(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0-56-amd64")
    install(tmp_path, "6.12.1-cloud-amd64", modules=("nfsd",))
    assert select_kernel(None, tmp_path).release == "6.1.0-56-amd64"


def test_a_built_in_module_counts(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0", modules=ALL_MODULES[1:])
    builtin = tmp_path / "lib/modules/6.1.0/modules.builtin"
    builtin.write_text(f"kernel/{REQUIRED_MODULES[0]}.ko\n")
    assert select_kernel("6.1.0", tmp_path).missing_modules() == ()


def test_no_kernel_at_all_names_the_package(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"no image in .*; install linux-image-amd64"):
        select_kernel(None, tmp_path)


def test_a_kernel_without_soft_roce_is_refused_by_name_of_the_module(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0", modules=ALL_MODULES[1:])
    with pytest.raises(LabError, match=r"6.1.0 has no module rdma_rxe"):
        select_kernel(None, tmp_path)
    with pytest.raises(LabError, match=r"vmlinuz-6.1.0 has no module rdma_rxe"):
        select_kernel("6.1.0", tmp_path)


def test_a_kernel_that_cannot_mount_the_hosts_file_system_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0", modules=REQUIRED_MODULES)
    with pytest.raises(LabError, match=r"6.1.0 has no module 9p, 9pnet_virtio, overlay"):
        select_kernel(None, tmp_path)


def test_modules_that_zstd_unpacks_are_seen(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0")
    install(tmp_path, "6.8.0", suffix=".ko.zst")
    kernels = installed_kernels(tmp_path)
    assert [(kernel.release, kernel.needs_zstd()) for kernel in kernels] == [
        ("6.8.0", True),
        ("6.1.0", False),
    ]
    assert kernels[0].missing_modules() == ()


def test_an_unknown_release_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    install(tmp_path, "6.1.0")
    with pytest.raises(
        LabError, match=r"'5.4' is no image, no build tree and no installed release \(6.1.0"
    ):
        select_kernel("5.4", tmp_path)


def test_an_unpacked_package_is_named_by_its_image(tmp_path: Path) -> None:
    image = install(tmp_path / "unpacked", "6.12.1-amd64")
    kernel = select_kernel(str(image), tmp_path)
    assert kernel.release == "6.12.1-amd64"
    assert kernel.modules == tmp_path / "unpacked/lib/modules/6.12.1-amd64"


def test_release_is_read_from_the_image_whatever_its_name(tmp_path: Path) -> None:
    install(tmp_path, "6.12.1-mine")
    image = bz_image(tmp_path / "boot" / "bzImage", b"6.12.1-mine")
    assert select_kernel(str(image), tmp_path).release == "6.12.1-mine"


def test_an_image_without_modules_lacks_all(tmp_path: Path) -> None:
    image = bz_image(tmp_path / "bzImage", b"6.12.1-mine")
    with pytest.raises(LabError, match="has no module rdma_rxe, rdma_ucm, ib_uverbs"):
        select_kernel(str(image), tmp_path)


def test_a_file_that_is_no_kernel_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a kernel")
    with pytest.raises(LabError, match="is not a kernel image that tells its release"):
        select_kernel(str(file), tmp_path)


def test_a_kernel_that_was_fetched_is_named_as_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "rpcrdma" / "kernels"
    install(folder / "6.12.1-amd64", "6.12.1-amd64")
    remember("6.12", "6.12.1-amd64", folder)
    kernel = select_kernel("6.12", tmp_path / "root")
    assert kernel.release == "6.12.1-amd64"
    assert kernel.modules == folder / "6.12.1-amd64/lib/modules/6.12.1-amd64"


def test_a_line_that_was_not_fetched_is_refused_with_the_command_that_does(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"; `rpcrdma lab kernel 5\.4` fetches it"):
        select_kernel("5.4", tmp_path)
    with pytest.raises(LabError, match=r"no installed release \(none\)$"):
        select_kernel("./5.4", tmp_path)
