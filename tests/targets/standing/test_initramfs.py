"""What the guest's first file system holds, by modules and a busybox made by hand."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest

from targets.lab.errors import LabError
from targets.lab.kernel import Kernel
from targets.lab.setup import LabServer, ServerKind
from targets.standing import initramfs
from targets.standing.initramfs import (
    build_initramfs,
    first_program,
    module_files,
    wanted_modules,
)
from targets.standing.setup import SETUP_FILE, StandingSetup
from tests.targets.standing.test_archive import entries

DEPENDENCIES = """\
kernel/rdma/rdma_rxe.ko: kernel/rdma/ib_core.ko kernel/net/udp_tunnel.ko
kernel/rdma/ib_core.ko:
kernel/net/udp_tunnel.ko:
kernel/rdma/rpc-rdma.ko: kernel/net/sunrpc.ko kernel/rdma/ib_core.ko
kernel/net/sunrpc.ko:
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    modules = tmp_path / "lib" / "modules" / "6.1-test"
    for line in DEPENDENCIES.splitlines():
        file = modules / line.partition(":")[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(file.name.encode())
    (modules / "modules.dep").write_text(DEPENDENCIES)
    (modules / "modules.builtin").write_text("kernel/fs/9p/9p.ko\n")
    return Kernel(tmp_path / "vmlinuz", "6.1-test", modules)


def test_a_module_comes_after_all_that_it_needs(kernel: Kernel) -> None:
    names = [file.name for file in module_files(kernel, ("rdma_rxe", "rpc_rdma"))]
    assert names == ["udp_tunnel.ko", "ib_core.ko", "rdma_rxe.ko", "sunrpc.ko", "rpc-rdma.ko"]


def test_what_is_built_in_has_no_file(kernel: Kernel) -> None:
    assert module_files(kernel, ("9p",)) == ()


def test_what_newer_kernels_do_not_need_may_be_missing(kernel: Kernel) -> None:
    names = [file.name for file in module_files(kernel, ("crc32_generic", "9p", "rdma_rxe"))]
    assert names[-1].startswith("rdma_rxe")


def test_a_kernel_without_a_module_is_refused(kernel: Kernel) -> None:
    with pytest.raises(LabError, match=r"6\.1-test has no module nfsd; boot another kernel"):
        module_files(kernel, ("nfsd",))
    with pytest.raises(LabError, match="has no modules"):
        module_files(Kernel(kernel.image, "6.1-test", None), ("nfsd",))


def test_each_kind_of_server_has_its_modules() -> None:
    assert "nfsd" in wanted_modules(ServerKind.NFSD)
    assert "nfsd" not in wanted_modules(ServerKind.NONE)
    assert "rdma_ucm" in wanted_modules(ServerKind.COMMAND)
    assert all("rdma_rxe" in wanted_modules(kind) for kind in ServerKind)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(initramfs, "wanted_modules", lambda _kind: ("rdma_rxe",))
    monkeypatch.setattr(initramfs, "find_busybox", lambda: tmp_path / "busybox")
    monkeypatch.setattr(initramfs, "is_static", lambda _program: True)
    (tmp_path / "busybox").write_bytes(b"busybox")


@pytest.mark.usefixtures("small")
def test_it_has_what_the_first_program_uses(kernel: Kernel) -> None:
    setup = StandingSetup()
    found = entries(build_initramfs(kernel, setup))
    assert found["bin/insmod"][1] == b"busybox"
    assert [name for name in found if name.startswith("modules/")] == [
        "modules/000-udp_tunnel.ko",
        "modules/001-ib_core.ko",
        "modules/002-rdma_rxe.ko",
    ]
    assert json.loads(found["rpcrdma/setup.json"][1]) == setup.record()
    assert found["rpcrdma/export/size-4096"][1]
    assert found["init"][0] == 0o100755


@pytest.mark.usefixtures("small")
def test_without_nfsd_nothing_is_exported(kernel: Kernel) -> None:
    found = entries(build_initramfs(kernel, StandingSetup(LabServer(ServerKind.NONE))))
    assert not [name for name in found if name.startswith("rpcrdma/export")]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("pack", "suffix"), [(lzma.compress, ".xz"), (gzip.compress, ".gz")])
def test_packed_modules_are_unpacked(kernel: Kernel, pack: object, suffix: str) -> None:
    assert callable(pack)
    assert kernel.modules is not None
    listing = kernel.modules / "modules.dep"
    file = kernel.modules / "kernel" / "rdma" / "ib_core.ko"
    file.with_name(f"ib_core.ko{suffix}").write_bytes(pack(file.read_bytes()))
    listing.write_text(DEPENDENCIES.replace("ib_core.ko", f"ib_core.ko{suffix}"))
    found = entries(build_initramfs(kernel, StandingSetup()))
    assert found["modules/001-ib_core.ko"][1] == b"ib_core.ko"


@pytest.mark.usefixtures("small")
def test_a_busybox_that_needs_libraries_will_not_do(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(initramfs, "is_static", lambda _program: False)
    with pytest.raises(LabError, match="no busybox that is statically linked; install busybox"):
        build_initramfs(kernel, StandingSetup())


def test_the_last_thing_is_the_agent(kernel: Kernel) -> None:
    lines = first_program(kernel).splitlines()
    assert lines[0] == "#!/bin/sh"
    assert lines[-1].startswith("exec switch_root /root ")
    assert lines[-1].endswith(SETUP_FILE)


def test_modules_that_are_not_installed_are_found_all_the_same(kernel: Kernel) -> None:
    program = first_program(kernel)
    assert f"ln -s {kernel.modules} /root/lib/modules/6.1-test" in program
    installed = Kernel(kernel.image, "6.1", Path("/lib/modules/6.1"))
    assert "lib/modules" not in first_program(installed)


def test_shared_folders_are_mounted_for_writing_before_the_agent_starts(kernel: Kernel) -> None:
    lines = first_program(kernel, ("/srv/data", "/srv/more")).splitlines()
    mounts = [line for line in lines if " share" in line]
    assert [(line.split()[0], line.split()[-2:]) for line in mounts] == [
        ("must", ["share0", "/root/srv/data"]),
        ("must", ["share1", "/root/srv/more"]),
    ]
    assert lines.index(mounts[-1]) < len(lines) - 1
    assert all(" -o rw," in line for line in mounts)
