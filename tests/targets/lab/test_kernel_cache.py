"""Kernels that were fetched: by which names they are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets.lab.kernel_cache import cache_folder, cached_image, image_in, remember


def keep(folder: Path, release: str) -> Path:
    image = folder / release / "boot" / f"vmlinuz-{release}"
    image.parent.mkdir(parents=True)
    image.touch()
    return image


def test_a_kernel_is_found_by_release_and_by_the_name_it_was_fetched_by(tmp_path: Path) -> None:
    image = keep(tmp_path, "6.12.9-amd64")
    remember("6.12", "6.12.9-amd64", tmp_path)
    assert cached_image("6.12.9-amd64", tmp_path) == image
    assert cached_image("6.12", tmp_path) == image
    assert cached_image("6.1", tmp_path) is None


def test_a_name_means_what_it_was_last_fetched_as(tmp_path: Path) -> None:
    keep(tmp_path, "6.12.8-amd64")
    image = keep(tmp_path, "6.12.9-amd64")
    remember("6.12", "6.12.8-amd64", tmp_path)
    remember("6.12", "6.12.9-amd64", tmp_path)
    assert cached_image("6.12", tmp_path) == image
    assert [path.name for path in (tmp_path / "names").iterdir()] == ["6.12"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/6.12.9-amd64", "names"])
def test_a_path_is_no_name(tmp_path: Path, name: str) -> None:
    keep(tmp_path, "6.12.9-amd64")
    assert cached_image(name, tmp_path) is None


def test_a_folder_without_its_image_is_no_kernel(tmp_path: Path) -> None:
    (tmp_path / "6.12.9-amd64" / "boot").mkdir(parents=True)
    assert image_in(tmp_path / "6.12.9-amd64") is None


@pytest.mark.parametrize(("named", "base"), [("{tmp}", "{tmp}"), ("caches", "{home}/.cache")])
def test_the_folder_is_below_that_of_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, base: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", named.format(tmp=tmp_path))
    expected = base.format(tmp=tmp_path, home=Path.home())
    assert cache_folder() == Path(expected) / "rpcrdma" / "kernels"
