"""A Debian without a network: apt and dpkg as programs that know a few kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.targets.lab.conftest import FakeProgram

MADISON = """\
linux-image-6.1.0-56-amd64 | 6.1.192-2 | http://mirror/security bookworm-security/main amd64 X
linux-image-6.1.0-47-amd64 | 6.1.170-3 | http://mirror bookworm/main amd64 Packages
linux-image-6.12.9+deb12-amd64 | 6.12.9-1~bpo12+1 | http://mirror bookworm-backports/main amd64 X
linux-image-7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | http://mirror trixie-backports/main amd64 X
"""
NAMES = "\n".join(
    [
        *(line.split()[0] for line in MADISON.splitlines()),
        "linux-image-6.1-amd64",
        "linux-image-6.1.0-56-rt-amd64",
        "linux-image-6.1.0-56-cloud-amd64",
    ]
)
TARGETS = "http://mirror|bookworm\nhttp://mirror/security|bookworm-security\nhttp://else|nodistro"

_APT_GET = f"""
case "$1" in
indextargets) echo '{TARGETS}' ;;
update) echo "E: The repository 'http://mirror bullseye Release' does not have a Release file."
    exit 100 ;;
download) shift; for name; do : >"$name.deb"; done ;;
esac
"""
_APT_CACHE = f"""
case "$1" in
pkgnames) echo '{NAMES}' ;;
madison) echo '{MADISON}' ;;
depends) case "$3" in
    *7.3.4*) echo "  Depends: linux-binary-7.3.4+deb13-amd64"
        echo "  Depends: <linux-modules-7.3.4+deb13-amd64>"
        echo "  Depends: linux-doc" ;;
    *) echo "  Depends: kmod" ;;
    esac ;;
esac
"""
# dpkg-deb -x FILE TREE
_DPKG_DEB = """
release=${2##*/linux-image-}; release=${release%.deb}
case "$2" in
*linux-binary*) mkdir -p "$3/usr/lib/modules/7.3.4+deb13-amd64"
    : >"$3/usr/lib/modules/7.3.4+deb13-amd64/vmlinuz" ;;
*7.3.4*) ;;
*) mkdir -p "$3/boot" "$3/lib/modules/$release"; : >"$3/boot/vmlinuz-$release" ;;
esac
"""


def install_debian(fake: FakeProgram) -> None:
    """Put the programs on the search path, in place of this machine's."""
    fake("apt-get", f"PATH=/usr/bin:/bin{_APT_GET}")
    fake("apt-cache", f"PATH=/usr/bin:/bin{_APT_CACHE}")
    fake("dpkg-deb", f"PATH=/usr/bin:/bin{_DPKG_DEB}")
    fake("depmod")
