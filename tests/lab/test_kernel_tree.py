"""A kernel boots from the tree in which it was built.

Building one takes an hour; so the lab's own kernel is laid out as a tree has it: the image in its
place, modules beside their sources, some of them not packed, and no file of depmod's.
"""

from __future__ import annotations

import lzma
import shutil
from typing import TYPE_CHECKING

import pytest

from targets.lab.kernel import REQUIRED_MODULES, select_kernel
from targets.lab.kernel_config import config_file, unmet
from targets.registry import find_profile
from targets.standing.guest import StandingGuest
from targets.standing.setup_of import setup_of

if TYPE_CHECKING:
    from pathlib import Path


def _share(file: Path, link: Path) -> None:
    try:
        link.hardlink_to(file)
    except OSError:  # another file system
        shutil.copyfile(file, link)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree; links to it are made in a cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kernel = select_kernel()
    assert kernel.modules is not None
    tree = tmp_path / "linux"
    listed = (kernel.modules / "modules.order").read_text().split()
    for place in listed:
        file = next((kernel.modules / place).parent.glob(f"{(kernel.modules / place).name}*"))
        link = tree / file.relative_to(kernel.modules / "kernel")
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.suffix == ".xz" and link.name.partition(".")[0] in REQUIRED_MODULES:
            link.with_suffix("").write_bytes(lzma.decompress(file.read_bytes()))
        else:
            _share(file, link)
    image = tree / "arch/x86/boot/bzImage"
    release = tree / "include/config/kernel.release"
    for folder in (image.parent, release.parent):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kernel.image, image)
    release.write_text(f"{kernel.release}\n")
    objects = "".join(
        f"{place.removeprefix('kernel/').partition('.ko')[0]}.o\n" for place in listed
    )
    (tree / "modules.order").write_text(objects)
    shutil.copyfile(kernel.modules / "modules.builtin", tree / "modules.builtin")
    (tree / ".config").write_text("CONFIG_MODULES=y\n")
    return tree


def test_it_boots_and_serves(tree: Path) -> None:
    setup = setup_of(find_profile("linux-server"))
    with StandingGuest.start(setup, kernel=str(tree)) as guest:
        guest.await_ready()
        assert guest.release == select_kernel(str(tree)).release


def test_the_kernels_that_the_lab_boots_are_configured_as_its_table_says() -> None:
    file = config_file(select_kernel().image)
    assert file is not None
    assert unmet(file.read_text()) == ()
