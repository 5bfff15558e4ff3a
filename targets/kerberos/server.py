"""The kernel's server in a guest, under Kerberos: beside it rpc.svcgssd, the tester a client.

    rfc2203 section 5.2  Context Creation

The kernel has rpc.svcgssd accept its contexts, which asks nobody: it has the server's key.  The
tester's ticket is got in the guest as well, from a KDC that nobody else asks.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
from targets.kerberos.tickets import KerberosTickets
from targets.lab.nfsd import EXPORT_OPTIONS

if TYPE_CHECKING:
    from targets.standing.guest_agent import GuestAgent

__all__ = ["ServerRealm"]

_SERVER: Final = f"nfs/{SERVER_NAME}@{REALM}"

# `$1` is the folder, `$2` the export, `$3` its options.  What is printed is the ticket.  The tester
# is root there, as it is with AUTH_SYS: idmapd.conf says so to rpc.svcgssd.
_SCRIPT: Final = f"""
set -e
if old="$(pidof krb5kdc rpc.svcgssd)"; then kill $old; fi
rm -rf "$1"
mkdir -p "$1"
tar -x -C "$1"
modprobe rpcsec_gss_krb5
hostname {SERVER_NAME}
printf '%s\\n' '[Translation]' 'GSS-Methods = static' '[Static]' \\
    'nfs/{CLIENT_NAME}@{REALM} = root' > /etc/idmapd.conf
ip link set lo up
krb5kdc -r {REALM}
kinit -k -t "$1/{CLIENT_KEYS}" -c "FILE:$1/ticket" -S "{_SERVER}" "nfs/{CLIENT_NAME}@{REALM}"
KRB5_KTNAME="FILE:$1/{SERVER_KEYS}" rpc.svcgssd -p "nfs/{SERVER_NAME}"
exportfs -i -o "$3:krb5:krb5i:krb5p" "*:$2"
cat "$1/ticket"
"""


class ServerRealm:
    """A realm in which the guest's server is one, and the tester a client of it.

    Attributes:
        initiator: the tester's ticket.
    """

    def __init__(self, agent: GuestAgent, export: str) -> None:
        """Make the realm, and have a guest's kernel serve in it.

        Args:
            agent: of the guest.
            export: the exported folder.

        Raises:
            LabError: a program is missing, here or there, or fails.
            TargetError: the tester cannot be a client of Kerberos.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="rpcrdma-realm-"))
        try:
            make_realm(self._folder, HOME)
            words = (HOME, export, EXPORT_OPTIONS)
            ticket = run_in_guest(agent, _SCRIPT, words, environment(HOME), self._folder)
            cache = self._folder / "ticket"
            cache.write_bytes(ticket)
            self.initiator = KerberosTickets(cache, _SERVER)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def close(self) -> None:
        """Forget ticket and contexts.  Twice is allowed."""
        self.initiator.close()
        shutil.rmtree(self._folder, ignore_errors=True)
