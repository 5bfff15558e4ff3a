"""What of this machine's configuration reaches the fresh one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fresh import host
from tests.fresh.errors import NotHere
from tests.fresh.host import (
    CERTIFICATES,
    apt_settings,
    constraint_files,
    environment,
    known_sources,
    pip_files,
    sources,
    trusted,
)

if TYPE_CHECKING:
    from pathlib import Path

MIRROR = "http://mirror.invalid/debian/"


def test_only_debians_own_archive_of_the_suite_is_taken() -> None:
    listing = f"""\
{MIRROR} bookworm main
{MIRROR} bookworm main
{MIRROR} bookworm non-free
{MIRROR} bookworm-updates main
https://security.invalid/ bookworm-security main
{MIRROR} trixie main
https://other.invalid/ bookworm-tools main
https://other.invalid/ bookworm stable
file:/srv/mirror bookworm main
"""
    assert sources(listing).splitlines() == [
        f"deb {MIRROR} bookworm main",
        f"deb {MIRROR} bookworm-updates main",
        "deb https://security.invalid/ bookworm-security main",
    ]


@pytest.mark.parametrize("listing", ["", f"{MIRROR} bookworm-updates main\n"])
def test_a_machine_without_a_mirror_of_the_suite_is_told(listing: str) -> None:
    with pytest.raises(NotHere, match="apt has no mirror of Debian bookworm: add one"):
        sources(listing)


def test_a_machine_without_apt_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotHere, match="there is no apt-get: this needs a Debian"):
        known_sources()


def test_apts_settings_go_along_with_the_certificates() -> None:
    dump = 'Acquire::Retries "3";\nAcquire::IndexTargets::deb::X::DefaultEnabled "false";\n'
    assert apt_settings(dump, certificates=False) == 'Acquire::Retries "3";\n'
    assert apt_settings(dump, certificates=True).splitlines() == [
        'Acquire::Retries "3";',
        f'Acquire::https::CaInfo "{CERTIFICATES}";',
    ]


def test_a_login_has_the_way_to_packages_and_nothing_else_of_ours() -> None:
    ours = {
        "HOME": "/home/me",
        "PATH": "/mine",
        "PYTHONPATH": "/mine",
        "VIRTUAL_ENV": "/mine",
        "https_proxy": "http://proxy.invalid",
        "NO_PROXY": "localhost",
        "PIP_CERT": "/mine.crt",
        "RPCRDMA_TIMEOUT_FACTOR": "2",
    }
    made = environment(ours, certificates=True)
    kept = ("https_proxy", "NO_PROXY", "RPCRDMA_TIMEOUT_FACTOR")
    assert {name: made[name] for name in kept} == {name: ours[name] for name in kept}
    assert made["PIP_CERT"] == CERTIFICATES
    assert "HOME" not in made
    assert "mine" not in " ".join(made.values())
    assert {"PYTHONPATH", "VIRTUAL_ENV"}.isdisjoint(made)


def test_pips_files_go_to_where_pip_looks(tmp_path: Path) -> None:
    mine = tmp_path / ".config/pip/pip.conf"
    named = tmp_path / "other.conf"
    mine.parent.mkdir(parents=True)
    for file in (mine, named):
        file.touch()
    found = pip_files(tmp_path, "/home/there", {"PIP_CONFIG_FILE": str(named)})
    assert found[mine] == "/home/there/.config/pip/pip.conf"
    assert found[named] == str(named)
    assert tmp_path / ".pip/pip.conf" not in found


def test_files_of_versions_that_pip_is_told_of_come_along(tmp_path: Path) -> None:
    named, of_a_command, set_here = (tmp_path / name for name in ("all", "install", "set"))
    for file in (named, of_a_command, set_here):
        file.touch()
    mine = tmp_path / "pip.conf"
    mine.write_text(
        f"[global]\nconstraint = {named}\n  {tmp_path}/gone\n"
        f"[install]\nconstraint = {of_a_command}\n",
        "utf-8",
    )
    other = tmp_path / "other.conf"
    other.write_text("[global]\nindex-url = https://index.invalid/%20\n", "utf-8")
    found = constraint_files([mine, other], {"PIP_CONSTRAINT": f"{set_here} of_a_project"})
    assert found == (set_here, named, of_a_command)


def test_certificates_are_pips_or_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_BUNDLE", tmp_path / "system.crt")
    assert trusted({}) is None
    (tmp_path / "system.crt").touch()
    assert trusted({}) == tmp_path / "system.crt"
    (tmp_path / "pip.crt").touch()
    assert trusted({"PIP_CERT": str(tmp_path / "pip.crt")}) == tmp_path / "pip.crt"
