"""The table `[lab]`: what the file alone shows to be wrong is told in one sentence."""

from __future__ import annotations

import msgspec
import pytest

from targets.profile import Lab


def refusal(text: str) -> str:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.toml.decode(text, type=Lab)
    return str(refused.value)


@pytest.mark.parametrize("size", ["256M", "8G", "16384M"])
def test_memory_is_a_number_of_mebibytes_or_gibibytes(size: str) -> None:
    assert msgspec.toml.decode(f'memory = "{size}"', type=Lab).memory == size


@pytest.mark.parametrize("size", ["", "8", "8GB", "0G", "-1G", "1.5G", "8 G", "8g"])
def test_other_memory_is_refused(size: str) -> None:
    sentence = f"`memory` is `{size}`; write a number of mebibytes or gibibytes, `512M` or `8G`"
    assert refusal(f'memory = "{size}"') == sentence


@pytest.mark.parametrize("word", ["", "two words", " before", "after\\t", "h\u00e4"])
def test_a_parameter_of_the_kernel_is_one_word(word: str) -> None:
    assert "each is one word" in refusal(f'parameters = ["quiet", "{word}"]')


def test_more_parameters_than_the_kernel_bears_are_refused() -> None:
    assert len(Lab(parameters=("quiet",) * 16).parameters) == 16
    assert refusal(f"parameters = {['quiet'] * 17}") == "`parameters` has 17 words: 16 are the most"


@pytest.mark.parametrize("path", ["", "/", "here", "/srv/../etc", "/a b", "/a,b", "/a\\\\b"])
@pytest.mark.parametrize("key", ["shares", "export"])
def test_a_folder_has_a_full_path(key: str, path: str) -> None:
    value = f'["{path}"]' if key == "shares" else f'"{path}"'
    assert f"`{key}` has `" in refusal(f"{key} = {value}")


def test_only_the_tree_can_be_made() -> None:
    assert Lab(files=("tree",)).files == ("tree",)
    assert "Invalid enum value 'trees'" in refusal('files = ["trees"]')


@pytest.mark.parametrize("line", ["processors = -1", "processors = 65", "boot = -1", "ready = 0"])
def test_numbers_have_bounds(line: str) -> None:
    assert "Expected" in refusal(line)
