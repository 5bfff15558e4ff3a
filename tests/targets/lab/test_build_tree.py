"""A kernel's build tree as a kernel."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from targets.lab import build_tree
from targets.lab.build_tree import is_build_tree, prepare_tree, tree_commit
from targets.lab.errors import LabError
from targets.lab.kernel import BOOT_MODULES, NETWORK_MODULE, REQUIRED_MODULES, select_kernel

RELEASE = "6.12.0-rc3-mine"
AGAIN = (
    "from pathlib import Path; from targets.lab import build_tree as b;"
    " b.find_program = lambda name: Path('{depmod}'); b.prepare_tree(Path('{tree}'))"
)
"""What another process does meanwhile."""

MODULES = (*REQUIRED_MODULES, *BOOT_MODULES, NETWORK_MODULE)


@pytest.fixture(autouse=True)
def depmod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for depmod, whose work on real modules is the lab's to show; notes its calls."""
    program = tmp_path / "depmod"
    program.write_text(
        "#!/bin/sh\n"
        'echo "$*" >> "$0.log"\n'
        'cd "$2/lib/modules/$3" && sed "s/$/:/" modules.order > modules.dep\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(build_tree, "find_program", lambda name: program)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return program


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What `make` leaves, as far as the lab looks at it."""
    tree = tmp_path / "linux"
    for name, text in {
        ".config": "CONFIG_MODULES=y\n",
        "arch/x86/boot/bzImage": "image",
        "include/config/kernel.release": f"{RELEASE}\n",
        "modules.builtin": "kernel/fs/overlayfs/overlay.ko\n",
        "modules.order": "".join(f"drivers/{name}.o\n" for name in MODULES if name != "overlay"),
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (tree / "drivers").mkdir()
    for name in MODULES:
        (tree / "drivers" / f"{name}.ko").write_text(name)
    return tree


def test_a_tree_is_a_kernel_by_its_path(tree: Path) -> None:
    kernel = select_kernel(str(tree))
    assert kernel.release == RELEASE
    assert kernel.missing_modules() == ()
    assert kernel.has_network()
    assert kernel.image.name == f"vmlinuz-{RELEASE}"
    assert kernel.image.read_text() == "image"
    assert kernel.modules is not None
    assert (kernel.modules / "kernel/drivers/nfsd.ko").read_text() == "nfsd"


def test_a_kernel_that_was_built_again_is_told_from_the_one_before(tree: Path) -> None:
    before = select_kernel(str(tree))
    module = tree / "drivers/nfsd.ko"
    module.unlink()
    module.write_text("nfsd, patched")
    after = select_kernel(str(tree))
    assert after.release == before.release
    assert after.built != before.built


def test_nothing_is_written_into_the_tree(tree: Path) -> None:
    before = sorted(tree.rglob("*"))
    prepare_tree(tree)
    assert sorted(tree.rglob("*")) == before


@pytest.mark.parametrize("listed", ["drivers/nfsd.o", "drivers/nfsd.ko", "kernel/drivers/nfsd.ko"])
def test_modules_are_found_however_the_kernel_lists_them(tree: Path, listed: str) -> None:
    (tree / "modules.order").write_text(f"{listed}\ndrivers/never-built.o\n")
    modules = prepare_tree(tree).modules
    assert (modules / "modules.order").read_text() == "kernel/drivers/nfsd.ko\n"


def test_packed_modules_are_found_as_well(tree: Path) -> None:
    (tree / "drivers/nfsd.ko").unlink()
    (tree / "drivers/nfsd.ko.gz").write_bytes(gzip.compress(b"nfsd"))
    modules = prepare_tree(tree).modules
    assert (modules / "kernel/drivers/nfsd.ko.gz").is_file()
    assert "kernel/drivers/nfsd.ko.gz\n" in (modules / "modules.order").read_text()


def test_the_folder_is_made_anew_only_when_something_was_built(tree: Path, depmod: Path) -> None:
    def calls() -> int:
        return len(depmod.with_name("depmod.log").read_text().splitlines())

    prepare_tree(tree)
    prepare_tree(tree)
    assert calls() == 1
    module = tree / "drivers/nfsd.ko"
    module.unlink()  # as the linker does it
    module.write_text("nfsd, patched")
    modules = prepare_tree(tree).modules
    assert calls() == 2
    assert (modules / "kernel/drivers/nfsd.ko").read_text() == "nfsd, patched"
    image = tree / "arch/x86/boot/bzImage"
    os.utime(image, ns=(1, 1))
    prepare_tree(tree)
    assert calls() == 3


def test_a_tree_without_a_module_is_sent_to_the_doctor(tree: Path) -> None:
    """An installed kernel would be replaced by another one; this one can be built again."""
    (tree / "drivers/rdma_rxe.ko").unlink()
    told = f"{tree} has no module rdma_rxe; `rpcrdma lab doctor --kernel {tree}` says what it was"
    with pytest.raises(LabError, match=re.escape(told)):
        select_kernel(str(tree))


def test_one_that_was_made_meanwhile_is_taken(tree: Path, depmod: Path, tmp_path: Path) -> None:
    """Two commands begin at once; the slower one finds the folder when it has made its own."""
    builds = tmp_path / "cache/rpcrdma-conformance/build-trees"
    depmod.write_text(
        "#!/bin/sh\n"
        'cd "$2/lib/modules/$3" && sed "s/$/:/" modules.order > modules.dep\n'
        f'[ -e "$0.again" ] && exit; touch "$0.again"\n'
        f"cd {Path(__file__).parents[3]} && XDG_CACHE_HOME={tmp_path}/cache"
        f' {sys.executable} -c "{AGAIN.format(tree=tree, depmod=depmod)}"\n'
    )
    modules = prepare_tree(tree).modules
    assert (modules / "modules.dep").is_file()
    assert len(list(builds.glob("*/*"))) == 1
    assert len(list(builds.iterdir())) == 1


def test_only_the_newest_build_is_kept(tree: Path, tmp_path: Path) -> None:
    prepare_tree(tree)
    os.utime(tree / "arch/x86/boot/bzImage", ns=(1, 1))
    modules = prepare_tree(tree).modules
    (build,) = (tmp_path / "cache/rpcrdma-conformance/build-trees").glob("*/*")
    assert build in modules.parents


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("arch/x86/boot/bzImage", "bzImage"),
        ("include/config/kernel.release", "bzImage"),
        ("modules.order", "modules"),
    ],
)
def test_what_was_not_built_is_named_with_the_command(tree: Path, name: str, target: str) -> None:
    (tree / name).unlink()
    with pytest.raises(LabError, match=rf"has no {name}; build it: make -C {tree} {target}"):
        select_kernel(str(tree))


def test_a_missing_or_failing_depmod_is_told(
    tree: Path, depmod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    depmod.write_text("#!/bin/sh\necho 'bad module' >&2; exit 1\n")
    with pytest.raises(LabError, match="depmod: bad module"):
        prepare_tree(tree)
    monkeypatch.setattr(build_tree, "find_program", lambda name: None)
    with pytest.raises(LabError, match="depmod is missing; install kmod"):
        prepare_tree(tree)


def test_a_folder_without_a_configuration_is_no_tree(tmp_path: Path) -> None:
    assert not is_build_tree(tmp_path)
    with pytest.raises(LabError, match="is no image, no build tree and no installed release"):
        select_kernel(str(tmp_path))


def git(tree: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", tree, *who, *words], check=True, capture_output=True)


def test_git_tells_the_commit_and_whether_files_differ(tree: Path) -> None:
    assert tree_commit(tree) == ""
    (tree / "Makefile").write_text("VERSION = 6\n")
    git(tree, "init")
    git(tree, "add", "Makefile")
    git(tree, "commit", "-m", "first")
    git(tree, "tag", "-a", "v6.12-rc3", "-m", "rc3")
    assert tree_commit(tree) == "v6.12-rc3"
    (tree / "Makefile").write_text("VERSION = 7\n")
    assert tree_commit(tree) == "v6.12-rc3-dirty"


def test_of_a_tree_built_elsewhere_the_sources_are_asked(tree: Path, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "Makefile").write_text("VERSION = 6\n")
    git(sources, "init")
    git(sources, "add", ".")
    git(sources, "commit", "-m", "first")
    (tree / "source").symlink_to(sources)
    assert len(tree_commit(tree)) == 12


def test_a_tree_within_another_project_has_no_commit_of_its_own(tree: Path) -> None:
    git(tree.parent, "init")
    assert tree_commit(tree) == ""
