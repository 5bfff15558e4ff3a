"""`rpcrdma decode`: octets of either version, whole or not, in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.cli.command_line import refused, run

HEADER = "00000001" * 2 + "00000008" + "00000000" * 4


def test_nothing_to_decode_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()

    assert "the argument is empty" in refused(capsys, "decode", "")
    assert "/empty` is empty; give at least one octet" in refused(
        capsys, "decode", str(tmp_path / "empty")
    )


@pytest.mark.parametrize("shape", [HEADER, f"0x{HEADER}", " ".join((HEADER[:8], HEADER[8:]))])
def test_hexadecimal_is_decoded(shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decode", shape) == 0

    assert "28 octets, xid 0x00000001, version 1, credits 8, RDMA_MSG" in capsys.readouterr().out


def test_an_option_of_version_two_is_decoded_with_its_properties(
    capsys: pytest.CaptureFixture[str],
) -> None:
    update = "00000001 00000002 00000008 00000005 00000000 00000004 00000010"

    assert run("decode", update + "00000001 00000001 00000004 00002000") == 0

    shown = capsys.readouterr().out
    assert "version 2, credits 8, RDMA2_OPTIONAL, CALL, ROPT_UPDPROP, PROP_RBSIZ 8192" in shown
    assert "    40              octets: 8192" in shown


def test_a_file_is_decoded_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "crash").write_bytes(b"\0\0\0\1\0\0")

    assert run("decode", str(tmp_path / "crash")) == 0
    assert "rdma_vers: the buffer ends inside the item" in capsys.readouterr().out


def test_a_message_is_decoded_for_other_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decode", HEADER, "--json") == 0

    found = json.loads(capsys.readouterr().out)
    assert found["summary"].startswith("28 octets, xid 0x00000001, version 1")
    assert found["error"] is None


@pytest.mark.parametrize("option", [("--xid", "1"), ("--connection", "1")])
def test_one_message_has_nothing_to_choose_from(
    option: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is no capture: --xid and --connection choose" in refused(
        capsys, "decode", HEADER, *option
    )


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--xid", "0x1ffffffff"), "--xid takes a number from 0 to 4294967295"),
        (("--xid", "first"), "decimal or with 0x, not `first`"),
        (("--connection", "0"), "--connection takes a number from 1 to"),
    ],
)
def test_a_choice_that_is_no_number_is_refused(
    option: tuple[str, str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refused(capsys, "decode", HEADER, *option)


def test_the_dissector_lies_where_it_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("decode", "--dissector") == 0

    (path,) = capsys.readouterr().out.splitlines()
    assert 'Proto("rpcrdma2"' in Path(path).read_text(encoding="utf-8")


def test_something_has_to_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give a message in hexadecimal or a file" in refused(capsys, "decode")
