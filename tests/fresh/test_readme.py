"""What is read from the README's text and the doctor's answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets.lab.doctor import Check, render
from tests.fresh.errors import StepFailed
from tests.fresh.readme import (
    already_there,
    doctors_command,
    packages_of,
    published_folder,
    readme_command,
)

TEXT = """\
Type `make` here:

```sh
make thing            # a thing; all is the other
make thing --kernel 6
tox -e a -- -k "#2"
```

```toml
make = "other"
```

```sh
make thing
```
"""


def test_a_command_is_found_without_its_comment() -> None:
    assert readme_command(TEXT, "make thing") == "make thing"
    assert readme_command(TEXT, "make thing --k") == "make thing --kernel 6"
    assert readme_command(TEXT, "tox") == 'tox -e a -- -k "#2"'


@pytest.mark.parametrize(("start", "count"), [("make", 2), ("cmake", 0), ("make =", 0)])
def test_a_command_that_is_not_there_once_is_refused(start: str, count: int) -> None:
    with pytest.raises(StepFailed, match=f"the README has {count} commands"):
        readme_command(TEXT, start)


def test_the_folder_of_the_baselines_is_that_of_the_link() -> None:
    link = "see [known](out/linux/baseline.toml)"
    assert published_folder(f"{link}, and again {link}") == "out/linux"
    for text in ("", f"{link} [new](out/new/baseline.toml)"):
        with pytest.raises(StepFailed, match=r"links to [02] folders"):
            published_folder(text)


def test_our_own_readme_has_all_that_the_newcomer_types() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text()
    assert packages_of(readme_command(text, "apt-get update")) == ("git", "python3-venv")
    for start in ("python3 -m venv", "rpcrdma certify reference", "rpcrdma lab doctor"):
        assert readme_command(text, start).startswith(start)
    for target in ("linux-server", "linux-client"):
        assert readme_command(text, f"rpcrdma certify {target}") == f"rpcrdma certify {target}"
    assert (Path(__file__).parents[2] / published_folder(text) / "baseline-client.toml").is_file()


def test_the_doctors_command_and_its_packages_are_found_in_the_doctors_own_words() -> None:
    missing = Check("qemu", present=False, found="no", packages=("qemu", "file"), extra="lab")
    command = doctors_command(f"{render([missing])}\n\nmore advice\n")
    assert command.startswith("apt-get update && ")
    assert packages_of(command) == ("file", "qemu")


def test_a_doctor_who_is_content_has_no_command() -> None:
    content = render([Check("qemu", present=True, found="/usr/bin/qemu")])
    with pytest.raises(StepFailed, match="named no command"):
        doctors_command(content)


def test_a_command_that_installs_nothing_of_debians_is_refused() -> None:
    with pytest.raises(StepFailed, match="this installs no package: pip install x"):
        packages_of("pip install x")


def test_what_is_installed_is_told_from_what_is_only_known() -> None:
    listing = "ii  git\nun  binutils\nrc  file\ndpkg-query: no packages found matching udev"
    assert already_there(("binutils", "file", "git", "udev"), listing) == ("git",)
