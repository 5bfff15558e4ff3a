"""What is known of versions, from the words of a distribution's requirements."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from targets import tested_versions
from targets.tested_versions import ATHERIS, VIRTME_NG, Dependency, our_requirements

LAB = 'Virtme_NG!=1.41.1,<1.43,>=1.41; extra == "lab"'
OLD_PYTHON = 'atheris<3.2,>=3.0.0; python_version < "3" and extra == "fuzz"'


@pytest.fixture
def require(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested_versions, "our_requirements", lambda: ("rich>=13", LAB, OLD_PYTHON))


@pytest.mark.usefixtures("require")
def test_the_range_is_that_of_the_extra() -> None:
    assert VIRTME_NG.tested() == ">=1.41,<1.43,!=1.41.1"
    assert Dependency("virtme-ng", "other").tested() is None
    assert Dependency("rich", "other").tested() == ">=13"


@pytest.mark.usefixtures("require")
@pytest.mark.parametrize("version", ["1.41", "1.42", "1.42.7", "1.42rc1"])
def test_nothing_is_held_against_a_tested_version(version: str) -> None:
    assert VIRTME_NG.objection(version) == ""


@pytest.mark.usefixtures("require")
@pytest.mark.parametrize("version", ["1.40", "1.41.1", "1.43", "2.0", "of unknown version"])
def test_another_version_is_named_with_the_range(version: str) -> None:
    assert VIRTME_NG.objection(version) == (
        f"virtme-ng {version} is not among the versions that were tested (>=1.41,<1.43,!=1.41.1)"
    )


@pytest.mark.usefixtures("require")
def test_a_python_for_which_none_was_tested_gets_no_command() -> None:
    assert ATHERIS.tested() is None
    assert ATHERIS.remedy().startswith("no version of atheris was tested with Python 3.")
    assert VIRTME_NG.remedy() == "pip install 'rpcrdma-conformance[lab]'"


def test_a_bare_checkout_knows_nothing_and_objects_to_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tested_versions, "our_requirements", lambda: ())
    assert VIRTME_NG.objection("0.1") == ""
    assert ATHERIS.remedy() == "pip install 'rpcrdma-conformance[fuzz]'"
    monkeypatch.undo()
    monkeypatch.setattr(tested_versions, "_OURS", "no-such-distribution")
    assert our_requirements() == ()


def test_what_is_installed_is_told() -> None:
    assert Dependency("pytest", "test").installed() == pytest.__version__
    assert Dependency("no-such-distribution", "test").installed() is None


def test_both_ranges_have_two_ends() -> None:
    """What pyproject.toml asks for is a tested range: a newer version is not let in by itself."""
    file = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(file.read_text())["project"]["optional-dependencies"]
    for dependency in (VIRTME_NG, ATHERIS):
        (words,) = (word for word in extras[dependency.extra] if word.startswith(dependency.name))
        signs = {specifier.operator for specifier in Requirement(words).specifier}
        assert signs == {">=", "<"}
