from __future__ import annotations

import pytest

from rpcrdma.ulp.file_tree import (
    CLIENT_TREE,
    CROWD,
    DIRECTORY,
    LINK,
    LISTINGS,
    LONG_NAMED,
    TREE,
    WRITABLE,
    TreeFile,
    file_of_size,
)
from rpcrdma.ulp.pattern import pattern


def test_names_are_unique() -> None:
    names = [entry.name for entry in CLIENT_TREE]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("size", [0, 1, 1000, 4096, 65536, 1048576])
def test_there_is_a_read_only_file_of_each_size(size: int) -> None:
    file = file_of_size(size)

    assert (file.name, file.writable) == (f"size-{size}", False)
    assert file.content == pattern(size, file.seed)


def test_seeds_differ() -> None:
    seeds = [entry.seed for entry in CLIENT_TREE if isinstance(entry, TreeFile)]

    assert len(set(seeds)) == len(seeds)


def test_size_that_no_file_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no file of 7 octets"):
        file_of_size(7)


def test_link_and_listing_need_more_than_an_inline_reply() -> None:
    assert 1024 < len(LINK.target) < 4096
    assert all(len(part) < 255 for part in LINK.target.split("/"))
    assert sum(map(len, DIRECTORY.entries)) > 4096
    assert WRITABLE.writable


def test_listings_are_named_by_their_length_and_have_names_of_many() -> None:
    assert [one.name for one in LISTINGS] == [f"list-{len(one.entries)}" for one in LISTINGS]
    longest = LISTINGS[-1].entries
    assert len({len(name) for name in longest}) == 61
    assert len(set(longest)) == len(longest)


def test_clients_find_a_crowd_and_the_longest_name() -> None:
    assert CLIENT_TREE[: len(TREE)] == TREE
    assert len(set(CROWD.entries)) == 4000
    assert len(LONG_NAMED.name) == 255
