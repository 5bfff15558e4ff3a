"""How the C decoder is made, by scripts in the place of rpcgen and the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.differential.compiled import REMEDY, V1, V2, Tools, build

if TYPE_CHECKING:
    from pathlib import Path

LAST = 'while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; last=$1; shift; done\n'


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """What copies the source to the product, and keeps a list of products."""
    note = f'echo "$out" >> {tmp_path}/products\n'
    return Tools(
        script(tmp_path / "rpcgen", f'{LAST}{note}cp "$last" "$out"'),
        script(tmp_path / "cc", f'{LAST}{note}[ "$last" = -ltirpc ] && last=item.o\ncp $last $out'),
    )


def products(folder: Path) -> list[str]:
    return (folder / "products").read_text().split()


def test_the_library_is_made_of_the_document(tmp_path: Path, tools: Tools) -> None:
    library = build(V1, tmp_path / "cache", tools)
    assert products(tmp_path) == ["item.h", "item.c", "item.o", "decode.o", "item.so"]
    assert "struct rdma_msg" in library.read_text()
    assert list((tmp_path / "cache").iterdir()) == [library]


def test_it_is_made_once_for_each_item_and_for_other_tools_again(
    tmp_path: Path, tools: Tools
) -> None:
    cache = tmp_path / "cache"
    made = {build(item, cache, tools) for item in (V1, V2, V1, V2)}
    assert (len(made), len(products(tmp_path))) == (2, 10)
    other = Tools(tools.rpcgen, script(tmp_path / "other", f"exec {tools.compiler} $@"))
    assert build(V1, cache, other) not in made


def test_a_program_that_is_missing_is_told_with_what_to_install(
    tmp_path: Path, tools: Tools
) -> None:
    none = str(tmp_path / "none")
    for lacking in (Tools(none, tools.compiler), Tools(tools.rpcgen, none)):
        with pytest.raises(BadInput) as caught:
            build(V1, tmp_path / "cache", lacking)
        assert f"there is no `{none}`" in str(caught.value)
        assert str(caught.value).endswith(REMEDY)


def test_what_a_program_complains_of_is_told(tmp_path: Path, tools: Tools) -> None:
    refusing = script(tmp_path / "refusing", "echo rpc/rpc.h: no such file >&2; exit 1")
    with pytest.raises(BadInput, match=r"rpc/rpc\.h: no such file: apt-get"):
        build(V1, tmp_path / "cache", Tools(tools.rpcgen, refusing))
    silent = script(tmp_path / "silent", "exit 3")
    with pytest.raises(BadInput, match="does not make the C decoder: status 3"):
        build(V1, tmp_path / "cache", Tools(silent, tools.compiler))


def test_a_cache_that_cannot_be_is_told(tmp_path: Path, tools: Tools) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot be kept in"):
        build(V1, tmp_path / "file" / "cache", tools)
