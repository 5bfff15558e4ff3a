"""The configuration that the lab needs: the fragment and the check say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.kernel_config import SETTINGS, DebugKind, Setting, config_file, fragment, unmet

if TYPE_CHECKING:
    from pathlib import Path

ALL = tuple(DebugKind)


def test_a_kernel_with_the_fragment_has_all() -> None:
    assert unmet(fragment(ALL), ALL) == ()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_what_is_left_out_is_named(setting: Setting) -> None:
    line = f"CONFIG_{setting.name}="
    lines = [one for one in fragment(ALL).splitlines() if not one.startswith(line)]
    assert unmet("\n".join(lines), ALL) == (setting,)
    lines.append(f"# CONFIG_{setting.name} is not set")
    assert unmet("\n".join(lines), ALL) == (setting,)


def test_what_may_be_a_module_may_be_built_in_but_not_the_other_way() -> None:
    assert unmet(fragment().replace("=m", "=y")) == ()
    wrong = unmet(fragment().replace("=y", "=m"))
    assert {setting.value for setting in wrong} == {"y"}
    assert "MODULES" in {setting.name for setting in wrong}


def test_aids_are_there_only_when_they_are_wanted() -> None:
    assert "KASAN" not in fragment()
    assert "CONFIG_KASAN=y" in fragment([DebugKind.KASAN])
    assert "PROVE_LOCKING" not in fragment([DebugKind.KASAN])
    assert unmet(fragment()) == ()
    assert {one.debug for one in unmet(fragment(), [DebugKind.KCOV])} == {DebugKind.KCOV}


def test_no_option_stands_twice() -> None:
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)


def test_a_configuration_is_found_beside_an_image_and_in_a_tree(tmp_path: Path) -> None:
    assert config_file(tmp_path) is None
    assert config_file(tmp_path / "vmlinuz-6.1") is None
    for name in ("config-6.1", ".config"):
        (tmp_path / name).write_text("")
    assert config_file(tmp_path / "vmlinuz-6.1") == tmp_path / "config-6.1"
    assert config_file(tmp_path / "config-6.1") is None
    assert config_file(tmp_path) == tmp_path / ".config"
