"""What the doctor says of machines that lack something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets import tested_versions
from targets.lab import doctor
from targets.lab.accelerator import QEMU
from targets.lab.doctor import Check, diagnose, install_command, kernel_advice, render
from targets.lab.kernel import BOOT_MODULES, NETWORK_MODULE, REQUIRED_MODULES
from targets.lab.kernel_config import fragment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import MakeElf


def install_kernel(root: Path, release: str, modules: tuple[str, ...], suffix: str = ".ko") -> None:
    (root / "boot").mkdir(exist_ok=True)
    (root / "boot" / f"vmlinuz-{release}").touch()
    folder = root / "lib" / "modules" / release
    folder.mkdir(parents=True)
    files = "".join(f"kernel/{name}{suffix}\n" for name in modules)
    (folder / "modules.order").write_text(files)


def test_an_empty_machine_lacks_everything_of_debians_and_one_command_installs_it(
    tmp_path: Path,
) -> None:
    command = install_command(diagnose(tmp_path))
    lists, packages, *_ = command.split(" && ")
    assert lists == "apt-get update"
    assert packages.startswith("apt-get install -y --no-install-recommends ")
    words = packages.split()
    for package in (
        "binutils",
        "busybox-static",
        "file",
        "iproute2",
        "krb5-admin-server",
        "krb5-kdc",
        "krb5-user",
        "libgssapi-krb5-2",
        "linux-image-amd64",
        "mount",
        "nfs-common",
        "nfs-kernel-server",
        "qemu-system-x86",
    ):
        assert words.count(package) == 1


def test_a_program_that_is_there_is_not_installed_again(tmp_path: Path) -> None:
    (tmp_path / "sbin").mkdir()
    program = tmp_path / "sbin" / "rpcbind"
    program.write_text("")
    program.chmod(0o755)
    checks = {check.name.partition(",")[0]: check for check in diagnose(tmp_path)}
    assert checks["rpcbind"].present
    assert checks["rpcbind"].found == str(program)
    assert "rpcbind" not in install_command(tuple(checks.values())).split()


def test_the_library_of_kerberos_is_looked_for_where_debian_has_it(tmp_path: Path) -> None:
    library = tmp_path / "usr/lib/x86_64-linux-gnu/libgssapi_krb5.so.2"
    for present in (False, True):
        (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("libgssapi"))
        assert check.present is present
        library.parent.mkdir(parents=True, exist_ok=True)
        library.touch()


def test_a_busybox_that_needs_shared_libraries_does_not_count(
    tmp_path: Path, make_elf: MakeElf
) -> None:
    busybox = make_elf(tmp_path / "bin" / "busybox", interpreter=True)
    (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("busybox,"))
    assert check.found.startswith(f"{busybox} needs shared libraries")
    assert install_command([check]).split()[-1] == "busybox-static"

    make_elf(busybox)
    (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("busybox,"))
    assert (check.present, check.found) == (True, str(busybox))


def test_a_kernel_with_packed_modules_needs_the_program_that_unpacks_them(tmp_path: Path) -> None:
    for release, suffix, needed in (("6.1.0", ".ko", False), ("6.8.0", ".ko.zst", True)):
        install_kernel(tmp_path, release, (*REQUIRED_MODULES, *BOOT_MODULES), suffix)
        names = [check.name.partition(",")[0] for check in diagnose(tmp_path)]
        assert ("zstd" in names) is needed


def test_a_kernel_without_the_network_of_a_guest_is_told(tmp_path: Path) -> None:
    """It boots in the lab all the same, with the tester inside."""
    modules = (*REQUIRED_MODULES, *BOOT_MODULES)
    for release, more, has_network in (("6.1.0", (), False), ("6.2.0", (NETWORK_MODULE,), True)):
        install_kernel(tmp_path, release, (*modules, *more))
        (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("virtio_net "))
        assert check.present is has_network
        assert check.found.startswith(release)
        assert ("--fabric verbs" in check.found) is not has_network
        assert not check.packages


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("QEMU emulator version 7.2.22 (Debian)", "7.2.22"),
        ("QEMU emulator version 5.2.0", " is 5.2.0, without -netdev dgram; run with --fabric"),
        ("something else", " does not tell its version"),
    ],
)
def test_a_qemu_that_is_too_old_for_a_tester_outside_is_told(
    tmp_path: Path, said: str, found: str
) -> None:
    """Where there is none at all, one sentence says that."""
    assert not [check for check in diagnose(tmp_path) if check.name.startswith("QEMU ")]
    program = tmp_path / "bin" / QEMU
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)

    (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("QEMU 7.2 "))

    assert check.present is (found == "7.2.22")
    assert found in check.found


def test_a_named_kernel_that_is_missing_is_not_mended_by_a_package(tmp_path: Path) -> None:
    command = install_command(diagnose(tmp_path, kernel="5.4"))
    assert "linux-image-amd64" not in command


def test_a_virtme_ng_that_was_not_tested_is_named_with_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "find_virtme_ng", lambda: tmp_path / "vng")
    required = ("virtme-ng>=1.41,<1.43; extra == 'lab'",)
    monkeypatch.setattr(tested_versions, "our_requirements", lambda: required)
    for version, tested in (("1.40", False), ("1.42", True)):
        monkeypatch.setattr(doctor, "virtme_ng_version", lambda command, told=version: told)
        (check,) = (check for check in diagnose(tmp_path) if check.name.startswith("virtme-ng,"))
        assert check.present is tested
        assert f" {version}" in check.found
        assert ("not among the versions that were tested (>=1.41,<1.43)" in check.found) != tested
        assert ("rpcrdma-conformance[lab]" in install_command([check])) != tested


def test_what_pip_brings_is_named_by_extra() -> None:
    command = install_command([Check("virtme-ng", present=False, found="none", extra="lab")])
    assert command.endswith("-m pip install 'rpcrdma-conformance[lab]'")


def test_a_complete_machine_needs_no_command() -> None:
    checks = [Check("qemu", present=True, found="/usr/bin/qemu", packages=("qemu",))]
    assert install_command(checks) == ""
    assert render(checks).splitlines()[-1] == "The lab has all it needs."


def test_missing_things_stand_out_above_the_command() -> None:
    text = render([Check("qemu", present=False, found="not found", packages=("qemu",))])
    assert text.splitlines()[0] == "MISSING  qemu: not found"
    assert text.splitlines()[-1].strip().endswith(" qemu")


def test_the_doctor_tells_which_kernels_there_are_and_how_to_get_another(tmp_path: Path) -> None:
    install_kernel(tmp_path, "6.1.0", (*REQUIRED_MODULES, *BOOT_MODULES))
    install_kernel(tmp_path, "6.2.0", ())
    first, *rest = kernel_advice(tmp_path).splitlines()
    assert first == "Kernels that --kernel takes by release: 6.1.0"
    assert any(line == "  rpcrdma lab kernel 6.12" for line in rest)
    assert "by release: none" in kernel_advice(tmp_path / "boot")


def test_a_named_kernel_is_told_what_it_was_configured_without(tmp_path: Path) -> None:
    """Also where that is why its modules are missing."""
    tree = tmp_path / "linux"
    tree.mkdir()

    def checks(config: str) -> list[Check]:
        (tree / ".config").write_text(config)
        found = diagnose(tmp_path, str(tree))
        return [check for check in found if check.name.startswith("its configuration")]

    (check,) = checks(fragment().replace("CONFIG_RDMA_RXE=m", "# CONFIG_RDMA_RXE is not set"))
    assert not check.present
    assert check.found == (
        f"{tree}/.config lacks CONFIG_RDMA_RXE (Soft-RoCE, and verbs for programs)"
    )
    (check,) = checks(fragment())
    assert (check.present, check.found) == (True, f"{tree}/.config")


def test_the_configuration_of_an_installed_kernel_is_looked_at_by_its_release(
    tmp_path: Path,
) -> None:
    install_kernel(tmp_path, "6.1.0", (*REQUIRED_MODULES, *BOOT_MODULES))
    named = "its configuration has what the lab needs (`rpcrdma lab config`)"
    assert named not in {check.name for check in diagnose(tmp_path, "6.1.0")}
    (tmp_path / "boot/config-6.1.0").write_text(fragment())
    assert named in {check.name for check in diagnose(tmp_path, "6.1.0")}
    assert named not in {check.name for check in diagnose(tmp_path)}
