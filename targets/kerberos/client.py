"""The kernel's client in a guest, under Kerberos: beside it KDC and rpc.gssd, the tester a server.

    rfc8166 section 8.2.2.1  contexts for RPC-over-RDMA may be made by TCP at port 2049
    rfc2203 section 5.2      Context Creation

The kernel has rpc.gssd make its contexts.  That takes a ticket from the KDC, which runs in the
guest as well, and shows it by TCP to the server's address at port 2049, where over RDMA the tester
is.  A routing rule for TCP alone has that end in the guest, where the agent hands it to the tester.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rpcrdma.ulp.gss_program import GssProgram
from rpcrdma.ulp.program import ProcedureTable, Programs
from targets.kerberos.mechanism import KerberosMechanism
from targets.kerberos.realm import (
    CLIENT_KEYS,
    CLIENT_NAME,
    HOME,
    REALM,
    SERVER_KEYS,
    SERVER_NAME,
    environment,
    make_realm,
    run_in_guest,
)

if TYPE_CHECKING:
    from rpcrdma.ulp.bindings import Program, UpperLayer
    from targets.standing.guest_agent import GuestAgent

__all__ = ["CONTEXTS_PORT", "ClientRealm"]

CONTEXTS_PORT: Final = 2049
"""Where rpc.gssd asks for contexts, whatever port the transport over RDMA has."""

# A guest that stays has had another tester, with a realm of its own.  `$1` is the folder, `$2` the
# tester's address, `$3` the guest's own.  Either daemon leaves the shell when it is ready.
_SCRIPT: Final = f"""
set -e
if old="$(pidof krb5kdc rpc.gssd)"; then kill $old; fi
rm -rf "$1"
mkdir -p "$1"
tar -x -C "$1"
modprobe rpcsec_gss_krb5
if ! [ -e "$1.pipes/nfs" ]; then
    mkdir -p "$1.pipes"
    mount -t rpc_pipefs rpc_pipefs "$1.pipes"
    hostname {CLIENT_NAME}
    printf '%s\\n' "$2 {SERVER_NAME}" "$3 {CLIENT_NAME}" >> /etc/hosts
    ip link set lo up
    ip rule add ipproto tcp to "$2" lookup 100
    ip route add local "$2" dev lo src "$3" table 100
fi
krb5kdc -r {REALM}
rpc.gssd -p "$1.pipes" -k "$1/{CLIENT_KEYS}" -d "$1"
"""


class ClientRealm:
    """A realm, and the tester as a server in it.

    Attributes:
        mechanism: gives out contexts, whichever way a client asks for one.
    """

    def __init__(self) -> None:
        """Make the realm.

        Raises:
            LabError: a tool of the KDC is missing, or fails.
            TargetError: the tester cannot be a server of Kerberos.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="rpcrdma-realm-"))
        try:
            make_realm(self._folder, HOME)
            self.mechanism = KerberosMechanism(self._folder / SERVER_KEYS)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def set_up(self, agent: GuestAgent, server: str, client: str) -> None:
        """Have a guest's kernel find KDC and server.

        Args:
            agent: of the guest.
            server: the tester's address.
            client: the guest's own.

        Raises:
            LabError: a program is missing there, or fails.
        """
        run_in_guest(agent, _SCRIPT, (HOME, server, client), environment(HOME), self._folder)

    def by_tcp(self, number: int, version: int, mounts: Program) -> UpperLayer:
        """What is served at `CONTEXTS_PORT`: contexts for a program, and MOUNT.

        Args:
            number: of the program that is served over RDMA.
            version: of it.
            mounts: MOUNT, for NFSv3.
        """
        contexts = GssProgram(ProcedureTable(number, version, {}), self.mechanism)
        return Programs((contexts, mounts))

    def close(self) -> None:
        """Forget keys and contexts.  Twice is allowed."""
        self.mechanism.close()
        shutil.rmtree(self._folder, ignore_errors=True)
