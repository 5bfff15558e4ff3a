from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.suite.trial import TrialEnd, trials
from conformance.tester.client import liveness
from conformance.tester.server.served import ServedAct
from rpcrdma.ulp.file_tree import file_of_size
from targets.base import ActState, TargetError
from targets.registry import find_any_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from conformance.tester.sent import Request

NFS4 = """
name = "mine"
adapter = "reference"
binding = "nfs4"
[claims]
roles = ["responder"]
versions = [1]
[extra]
address = "127.0.0.1"
port = 0
"""


def tried(name: str) -> dict[str, TrialEnd]:
    return {trial.what: trial.end for trial in trials(find_any_target(name))}


def test_a_server_is_called_in_each_version_and_each_way() -> None:
    found = tried("reference")

    assert set(found.values()) == {TrialEnd.DONE}
    assert [what[-9:] for what in list(found)[:2]] == ["version 1", "version 2"]
    assert {"a small call", "fetch 4096 octets", "store 4096 octets", "a long reply"} <= set(found)


def test_every_file_that_cases_read_is_fetched(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(NFS4)

    found = tried(str(profile))

    assert set(found.values()) == {TrialEnd.DONE}
    files = {what.removeprefix("file ") for what in found if what.startswith("file ")}
    assert files == {"size-1", "size-1000", "size-4096", "size-65536", "size-1048576"}


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(NFS4.replace("[extra]", '[extra]\nexport = "/nowhere"'))

    found = {trial.what: trial for trial in trials(find_any_target(str(profile)))}

    assert found["file size-1048576"].end is TrialEnd.FAILED
    assert "NOENT" in found["file size-1048576"].came


def test_a_server_that_does_not_answer_is_tried_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(liveness, "problem_with", lambda peer: "NULL got nothing")

    (only,) = trials(find_any_target("reference"))

    assert (only.end, only.came) == (TrialEnd.FAILED, "NULL got nothing")


def test_a_server_that_answers_wrongly_is_told_so() -> None:
    ends = tried("mutant:adds-record-mark")

    assert ends["a small call"] is TrialEnd.FAILED


def test_a_device_that_does_not_start_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    target = find_any_target("reference")

    def start() -> None:
        raise TargetError("it does not come up")

    monkeypatch.setattr(target, "start", start)

    (only,) = trials(target)

    assert (only.what, only.came) == ("start", "it does not come up")


def test_one_piece_that_is_wrong_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = file_of_size(1000).content

    def untouched(read: Callable[[str, int, int, bytes], Request]) -> dict[str, Request]:
        return {
            "size-1000 from octet 0 on": read("size-1000", 0, 10, b"other data"),
            "size-1000 from octet 10 on": read("size-1000", 10, 990, content[10:]),
        }

    monkeypatch.setattr("conformance.tester.workload.pages.untouched", untouched)
    profile = tmp_path / "mine.toml"
    profile.write_text(NFS4)

    assert tried(str(profile))["file size-1000"] is TrialEnd.FAILED


def test_an_act_that_fails_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "conformance.tester.server.acting.ActingClient.do",
        lambda *_: ServedAct(ActState.FAILED, "it will not"),
    )

    found = [trial for trial in trials(find_any_target("reference-client")) if "read" in trial.what]

    assert found[0].end is TrialEnd.FAILED
    assert found[0].came.startswith("it fails: it will not")


def test_a_client_is_brought_to_each_act() -> None:
    found = tried("reference-client")

    assert set(found.values()) == {TrialEnd.DONE}
    assert {"act read", "act write", "act many", "act disconnect"} <= set(found)


def test_an_act_that_the_profile_lacks_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    target = find_any_target("reference-client")
    start = target.start_client  # type: ignore[union-attr]

    class Fewer:
        def __init__(self) -> None:
            self.inner = start()

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

        @property
        def acts(self) -> frozenset[str]:
            return self.inner.acts - {"many"}

    monkeypatch.setattr(target, "start_client", Fewer)

    ends = {trial.what: trial.end for trial in trials(target)}

    assert ends["act many"] is TrialEnd.NOT_TRIED
    assert ends["act read"] is TrialEnd.DONE
