"""Opening a device through pyverbs, and the sentences for when that is impossible."""

from __future__ import annotations

import errno
from typing import Any, Final

from rpcrdma.errors import DeviceUnavailable, FabricError

__all__ = ["VerbsDevice", "unavailable"]

_WINDOWS_TYPE_2: Final = (1 << 23) | (1 << 24)  # IBV_DEVICE_MEM_WINDOW_TYPE_2A and _2B
_MOST_READS: Final = 16  # RDMA Reads under way in one direction; few devices offer fewer


class VerbsDevice:
    """One open RDMA device."""

    def __init__(self, name: str) -> None:
        """Open it.

        Raises:
            DeviceUnavailable: pyverbs is missing, or the device cannot be opened.
        """
        try:
            from pyverbs.device import Context
            from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError
        except ImportError as error:
            raise DeviceUnavailable(
                f"pyverbs cannot be imported ({error}): install the package python3-pyverbs and"
                " have it on the path of this Python, which must be of the same release"
            ) from error
        self.name = name
        try:
            self.context: Any = Context(name=name)
            attributes = self.context.query_device()
        except PyverbsRDMAError as error:
            raise unavailable(OSError(error.error_code, str(error)), name) from error
        except PyverbsError as error:
            raise unavailable(OSError(errno.ENODEV, str(error)), name) from error
        self.most_reads = min(
            _MOST_READS, attributes.max_qp_rd_atom, attributes.max_qp_init_rd_atom
        )
        self._most_segments: int = attributes.max_sge
        self.has_windows = bool(attributes.device_cap_flags & _WINDOWS_TYPE_2)

    def require_segments(self, count: int) -> None:
        """Refuse Receives of more segments than the device can scatter a message over.

        Raises:
            FabricError: with the most that it can.
        """
        if count > self._most_segments:
            raise FabricError(
                f"the device {self.name} takes Receives of at most {self._most_segments} segments;"
                f" {count} are asked for (ConnectionParameters.receive_segments)"
            )

    def close(self) -> None:
        """Close the device, and whatever was left open on it."""
        self.context.close()


def unavailable(error: OSError, where: str) -> FabricError:
    """One sentence for a failed call that has to do with the device or an address `where`."""
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return DeviceUnavailable(
                f"no permission to use the RDMA device for {where}: run as root, or give this user"
                " access to /dev/infiniband/* and enough locked memory (ulimit -l)"
            )
        case errno.ENODEV | errno.EADDRNOTAVAIL | errno.ENETUNREACH | errno.EHOSTUNREACH:
            return DeviceUnavailable(
                f"{where} is not on an RDMA device: see `rdma link` for the devices there are; one"
                " in software is made by `rdma link add rxe0 type rxe netdev INTERFACE`"
            )
        case errno.ENOENT | errno.ENOSYS:
            return DeviceUnavailable(
                "the kernel offers no RDMA connection manager: `modprobe rdma_ucm ib_uverbs`, and"
                " check that /dev/infiniband/rdma_cm exists"
            )
        case errno.ENOMEM:
            return FabricError(
                f"the device has no room left, or locked memory is limited (ulimit -l): {error}"
            )
        case _:
            return FabricError(f"{where}: {error}")
