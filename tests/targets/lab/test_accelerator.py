"""When KVM is used."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from targets.lab.accelerator import Accelerator, choose_accelerator

if TYPE_CHECKING:
    from pathlib import Path


def fake_qemu(folder: Path, body: str) -> str:
    program = folder / "qemu"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program)


def device(folder: Path) -> Path:
    (folder / "kvm").touch()
    return folder / "kvm"


def test_without_the_device_tcg_is_taken(tmp_path: Path) -> None:
    assert choose_accelerator(tmp_path / "none", fake_qemu(tmp_path, "exit 33")) is Accelerator.TCG


def test_a_trial_guest_that_ends_by_its_own_instruction_speaks_for_kvm(tmp_path: Path) -> None:
    qemu = fake_qemu(tmp_path, 'case "$*" in *"-accel kvm"*) exit 33;; esac; exit 1')
    assert choose_accelerator(device(tmp_path), qemu) is Accelerator.KVM


@pytest.mark.parametrize("body", ["exit 1", "exit 0", "kill -ABRT $$"])
def test_a_trial_that_fails_means_tcg(tmp_path: Path, body: str) -> None:
    assert choose_accelerator(device(tmp_path), fake_qemu(tmp_path, body)) is Accelerator.TCG


def test_a_trial_that_hangs_means_tcg_before_long(tmp_path: Path) -> None:
    begin = time.monotonic()
    qemu = fake_qemu(tmp_path, "exec sleep 1000")
    assert choose_accelerator(device(tmp_path), qemu) is Accelerator.TCG
    assert time.monotonic() - begin < 10


def test_a_missing_qemu_means_tcg(tmp_path: Path) -> None:
    assert choose_accelerator(device(tmp_path), str(tmp_path / "none")) is Accelerator.TCG
