"""Which stages a night has."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import NothingSelected
from conformance.cli.main import parser_of
from conformance.nightly.plan import NightWish, plan
from conformance.nightly.stage import StageKind, filled
from fuzz.registry import harness_names
from reports.baseline import BaselineError
from targets.lab.kernel import BOOT_MODULES, REQUIRED_MODULES

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.nightly.stage import NightStage


def names(wish: NightWish) -> list[str]:
    return [stage.name for stage in plan(wish)]


def test_the_project_has_everything() -> None:
    found = names(NightWish())
    assert found[:3] == ["certify-reference", "certify-reference-client", "property-tests"]
    assert {"certify-linux-server", "certify-linux-client", "live-linux-client"} <= set(found)
    assert {f"fuzz-{harness}" for harness in harness_names()} <= set(found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("stage", plan(NightWish()), ids=lambda stage: stage.name)
def test_each_command_is_one_that_there_is(stage: NightStage, tmp_path: Path) -> None:
    """With options that exist and take what they are given."""
    words = filled(stage.words, tmp_path, tmp_path, 60.0, 7)
    assert not [word for word in words if "{" in word]
    if words[0] == "rpcrdma":
        parser_of(words[1]).parse_args(words[1:])
    else:
        assert words[0] == "pytest"


def test_each_kernel_has_stages_of_its_own(tmp_path: Path) -> None:
    kernels = (str(tmp_path / "boot" / "vmlinuz-6.12.1"), str(tmp_path / "linux"))
    found = plan(NightWish(kernels=kernels))
    servers = [stage for stage in found if stage.name.startswith("certify-linux-server")]
    assert [stage.name for stage in servers] == [
        "certify-linux-server-6.12.1",
        "certify-linux-server-linux",
    ]
    assert [stage.words[stage.words.index("--kernel") + 1] for stage in servers] == list(kernels)
    assert all(stage.wanted for stage in servers)


def test_a_named_target_has_suite_exploration_and_live_fuzzing() -> None:
    stages = plan(NightWish(targets=("linux-server",)))
    assert [stage.name for stage in stages] == [
        "certify-linux-server",
        "explore-calls-linux-server",
        "live-linux-server",
    ]
    assert all(stage.wanted for stage in stages)
    assert names(NightWish(targets=("linux-client",))) == [
        "certify-linux-client",
        "live-linux-client",
    ]


def test_a_baseline_goes_to_its_target(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text('target = "reference"\n')
    server, client, *_ = plan(NightWish(baselines=(file,)))
    assert f"--baseline {file}" in shlex.join(server.words)
    assert server.by_baseline
    assert "--baseline" not in client.words


def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text("x = 1\n")
    with pytest.raises(BaselineError):
        plan(NightWish(baselines=(file,)))


def kernel_of(tmp_path: Path, release: str) -> Path:
    """An image of that release, with its modules beside it."""
    image = tmp_path / f"vmlinuz-{release}"
    modules = tmp_path / f"lib/modules/{release}"
    modules.mkdir(parents=True)
    listed = [*REQUIRED_MODULES, *BOOT_MODULES]
    (modules / "modules.order").write_text("".join(f"kernel/{name}.ko\n" for name in listed))
    image.write_bytes(bytes(1024))
    return image


def test_published_baselines_are_those_of_the_kernels_line(tmp_path: Path) -> None:
    image = kernel_of(tmp_path, "6.12.1")
    found = {stage.name: stage for stage in plan(NightWish(kernels=(str(image),)))}
    words = shlex.join(found["certify-linux-server-6.12.1"].words)
    assert "results/linux-6.12/baseline.toml" in words
    client = shlex.join(found["certify-linux-client-6.12.1"].words)
    assert "results/linux-6.12/baseline-client.toml" in client


def test_a_release_may_have_a_baseline_of_its_own(tmp_path: Path) -> None:
    image = kernel_of(tmp_path, "6.1.0-47-amd64")
    for folder, target in (
        ("linux-6.1", "linux-server"),
        ("linux-6.1", "linux-client"),
        ("linux-6.1.0-47", "linux-server"),
    ):
        file = tmp_path / "results" / folder / f"baseline-{target}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'target = "{target}"\n')

    found = {stage.name: stage for stage in plan(NightWish(kernels=(str(image),)), tmp_path)}

    words = shlex.join(found["certify-linux-server-6.1.0-47-amd64"].words)
    assert "results/linux-6.1.0-47/baseline-linux-server.toml" in words
    words = shlex.join(found["certify-linux-client-6.1.0-47-amd64"].words)
    assert "results/linux-6.1/baseline-linux-client.toml" in words


@pytest.mark.parametrize("version", ["", "-nfs3"])
def test_a_server_of_others_is_certified_by_its_own_baseline(tmp_path: Path, version: str) -> None:
    example = tmp_path / "targets/examples/nfs-ganesha"
    example.mkdir(parents=True)
    (example / "profile.toml").touch()
    (example / "profile-nfs3.toml").touch()
    results = tmp_path / "results/nfs-ganesha-6.5"
    results.mkdir(parents=True)
    (results / "baseline-nfs3.toml").write_text('target = "nfs-ganesha-nfs3"\n')
    (results / "baseline.toml").write_text('target = "nfs-ganesha"\n')

    found = {stage.name: stage for stage in plan(NightWish(), tmp_path)}

    stage = found[f"certify-nfs-ganesha{version}"]
    assert stage.words[2] == str(example / f"profile{version}.toml")
    assert stage.words[-2:] == ("--baseline", str(results / f"baseline{version}.toml"))
    assert not stage.wanted  # a machine that has not built it lacks nothing that was asked for


def test_stages_are_chosen_by_patterns() -> None:
    assert names(NightWish(only=("fuzz-v1-*",), without=("*-c",))) == [
        "fuzz-v1-header",
        "fuzz-v1-requester",
        "fuzz-v1-responder",
    ]
    with pytest.raises(NothingSelected, match="no stage is selected; there are: certify-reference"):
        plan(NightWish(only=("fuz",)))


def test_without_a_checkout_there_are_no_tests(tmp_path: Path) -> None:
    kinds = {stage.kind for stage in plan(NightWish(), tmp_path)}
    assert StageKind.TESTS not in kinds
    assert StageKind.RUN in kinds
