from __future__ import annotations

import errno
import sys
from types import ModuleType, SimpleNamespace

import pytest

from rpcrdma.errors import DeviceUnavailable, FabricError
from rpcrdma.fabric.verbs_device import VerbsDevice, unavailable


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "no permission"),
        (errno.EPERM, "no permission"),
        (errno.ENODEV, "192.0.2.1 is not on an RDMA device"),
        (errno.EADDRNOTAVAIL, "192.0.2.1 is not on an RDMA device"),
        (errno.ENOENT, "modprobe rdma_ucm"),
        (errno.ENOSYS, "modprobe rdma_ucm"),
    ],
)
def test_missing_device_is_explained_in_one_sentence(number: int, words: str) -> None:
    """The sentence says what is missing and how to mend it."""
    error = unavailable(OSError(number, "x"), "192.0.2.1")

    assert isinstance(error, DeviceUnavailable)
    assert words in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EADDRINUSE])
def test_other_failures_are_not_the_devices(number: int) -> None:
    """A device that is full or an address in use is no missing device."""
    error = unavailable(OSError(number, "because"), "192.0.2.1")

    assert type(error) is FabricError
    assert "because" in str(error)


def test_missing_pyverbs_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the package to install."""
    monkeypatch.setitem(sys.modules, "pyverbs.device", None)

    with pytest.raises(DeviceUnavailable, match="install the package python3-pyverbs"):
        VerbsDevice("rxe0")


def test_more_segments_than_the_device_scatters_over_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the device, what it can, and where the number was asked for."""
    attributes = SimpleNamespace(
        max_qp_rd_atom=16, max_qp_init_rd_atom=16, max_sge=32, device_cap_flags=0
    )
    context = SimpleNamespace(query_device=lambda: attributes)
    device_module, error_module = ModuleType("pyverbs.device"), ModuleType("pyverbs.pyverbs_error")
    vars(device_module)["Context"] = lambda name: context
    vars(error_module).update(PyverbsError=OSError, PyverbsRDMAError=OSError)
    monkeypatch.setitem(sys.modules, "pyverbs", ModuleType("pyverbs"))
    monkeypatch.setitem(sys.modules, "pyverbs.device", device_module)
    monkeypatch.setitem(sys.modules, "pyverbs.pyverbs_error", error_module)
    device = VerbsDevice("rxe0")

    device.require_segments(32)
    with pytest.raises(FabricError, match="rxe0 takes Receives of at most 32 segments; 33 are"):
        device.require_segments(33)
