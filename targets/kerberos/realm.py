"""A Kerberos realm for one run: a database and keys in a folder, made by the KDC's own tools.

Nothing of the system's is read or written: each tool is told by its environment where everything
is.  The KDC itself runs where its clients are, from a copy of the folder, so that its address and
its files have the same names for whoever uses the copy (`targets.kerberos.client`).
"""

from __future__ import annotations

import io
import os
import secrets
import subprocess
import tarfile
from typing import TYPE_CHECKING, Final

from targets.lab.errors import LabError
from targets.lab.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from targets.standing.guest_agent import GuestAgent

__all__ = [
    "CLIENT_KEYS",
    "CLIENT_NAME",
    "CONFIGURATION",
    "HOME",
    "KDC_PROFILE",
    "REALM",
    "SERVER_KEYS",
    "SERVER_NAME",
    "environment",
    "make_realm",
    "run_in_guest",
]

REALM: Final = "RPCRDMA.TEST"
SERVER_NAME: Final = "server.rpcrdma.test"
"""The host name for which clients ask tickets; no name service needs to know it."""

CLIENT_NAME: Final = "client.rpcrdma.test"
"""The client's host name, by which rpc.gssd finds its own key."""

CONFIGURATION: Final = "krb5.conf"
KDC_PROFILE: Final = "kdc.conf"
SERVER_KEYS: Final = "server.keytab"
CLIENT_KEYS: Final = "client.keytab"

HOME: Final = "/run/rpcrdma/kerberos"
"""Where the realm's files are in a guest."""

_PORT: Final = 88
_IN_GUEST_S: Final = 60.0
"""For what is set up there; measured 5 s under TCG on a busy machine."""

_DEADLINE: Final = 30.0
_STEP: Final = "making a Kerberos realm"
_REMEDY: Final = "`rpcrdma lab doctor` says what is missing"


def make_realm(folder: Path, home: str) -> None:
    """Make the realm's files.

    Args:
        folder: an empty folder for them.
        home: where they will be when the KDC runs; what the configurations name.

    Raises:
        LabError: a tool is missing, or fails.
    """
    (folder / CONFIGURATION).write_text(_configuration(), encoding="ascii")
    (folder / KDC_PROFILE).write_text(_kdc_profile(str(folder)), encoding="ascii")
    _run(folder, ("kdb5_util", "-r", REALM, "create", "-s", "-P", secrets.token_hex()))
    for name, keys in ((SERVER_NAME, SERVER_KEYS), (CLIENT_NAME, CLIENT_KEYS)):
        _ask(folder, f"add_principal -randkey nfs/{name}")
        _ask(folder, f"ktadd -k {folder / keys} nfs/{name}")
    (folder / KDC_PROFILE).write_text(_kdc_profile(home), encoding="ascii")


def environment(folder: str) -> dict[str, str]:
    """What tells the programs of Kerberos where the realm's files are."""
    return {
        "KRB5_CONFIG": f"{folder}/{CONFIGURATION}",
        "KRB5_KDC_PROFILE": f"{folder}/{KDC_PROFILE}",
    }


def run_in_guest(
    agent: GuestAgent,
    script: str,
    words: tuple[str, ...],
    environment: Mapping[str, str],
    folder: Path,
) -> bytes:
    """Have a guest's shell set up what it needs; returns what it prints.

    Args:
        agent: of the guest.
        script: which finds an archive of the realm on its standard input.
        words: `$1` and so on.
        environment: added to the guest's.
        folder: with the realm's files.

    Raises:
        LabError: a program is missing there, or fails.
    """
    octets = io.BytesIO()
    with tarfile.open(fileobj=octets, mode="w") as archive:
        archive.add(folder, arcname=".")
    shell = ("sh", "-c", script, "sh", *words)
    ran = agent.run(shell, environment, octets.getvalue(), _IN_GUEST_S)
    if ran.status != 0:
        lines = ran.errors.decode("utf-8", "replace").strip().splitlines()
        cause = lines[-1] if lines else f"exit status {ran.status}"
        raise LabError("setting up Kerberos in the guest", cause, _REMEDY)
    return ran.output


def _ask(folder: Path, query: str) -> None:
    _run(folder, ("kadmin.local", "-r", REALM, "-q", query))


def _run(folder: Path, words: tuple[str, ...]) -> None:
    program = find_program(words[0])
    if program is None:
        raise LabError(_STEP, f"there is no {words[0]}", _REMEDY)
    try:
        done = subprocess.run(
            [str(program), *words[1:]],
            env={**os.environ, **environment(str(folder)), "LC_ALL": "C"},
            capture_output=True, timeout=_DEADLINE, check=False, text=True,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(_STEP, str(error), _REMEDY) from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise LabError(_STEP, f"{words[0]}: {lines[-1]}", _REMEDY)


def _configuration() -> str:
    # No name service is asked, for nothing; the KDC is asked by TCP, where no answer is too long.
    return f"""[libdefaults]
    default_realm = {REALM}
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    udp_preference_limit = 1
[realms]
    {REALM} = {{
        kdc = 127.0.0.1:{_PORT}
    }}
[domain_realm]
    .rpcrdma.test = {REALM}
"""


def _kdc_profile(folder: str) -> str:
    # The one encryption type that kernels of 6.1 and later have all of, with or without Camellia.
    return f"""[kdcdefaults]
    kdc_listen = 127.0.0.1:{_PORT}
    kdc_tcp_listen = 127.0.0.1:{_PORT}
[realms]
    {REALM} = {{
        database_name = {folder}/principal
        key_stash_file = {folder}/stash
        acl_file = {folder}/acl
        supported_enctypes = aes256-cts-hmac-sha1-96:normal
    }}
"""
