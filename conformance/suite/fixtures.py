"""What scenarios are given by the plugin, by the names of their parameters.

In cases of the role `responder`

    peer          a connection on which a good call has just been answered
    connect       makes further connections, on which nothing has been sent
    workload      calls of the profile's binding

    peer_two      like `peer`, in Version Two
    connect_two   like `connect`, in Version Two
    connect_both  like `connect`, to a device that speaks both versions
    one_only      like `connect`, to a device that does not speak Version Two

in those of the role `requester`

    service       where the device connects; it has just been served what shows that it lives
    client        the device, to be told to act

    service_two   like `service`, served in Version Two
    service_fresh where the device will connect by its next act, and offer Version Two
    service_one   the same for a device that does not speak Version Two
    groups        like `service_two`, announced to take groups (`conformance.groups.server`)

and in both

    tester        one face of the tester for both, in Version Two (`conformance.options.tester`)
    profile       the device's profile
    session       the running device            target     the adapter
    wire          what carries the packets, which may lose some (`conformance.tester.wire`)

A device that does not claim what a fixture is about is not tested: the case is N/A.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from conformance.groups.server import GroupServer
from conformance.options.client import OptionClient
from conformance.options.server import OptionServer
from conformance.tester.client.harness import Harness
from conformance.tester.server.harness import ClientHarness
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.options.tester import OptionTester
    from conformance.suite.rigs import Rig, RunningSession
    from conformance.tester.client.peer import Peer
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.wire import Wire
    from conformance.tester.workload.base import Workload
    from targets.base import ClientTarget, Target
    from targets.profile import Profile

__all__ = ["Fixtures", "SuiteError"]


_SERVICES: Final = ("service", "service_two", "service_fresh", "service_one")


class SuiteError(Exception):
    """The suite itself is wrong (an unknown id, a duplicate); nothing is run."""


class Fixtures:
    """The fixtures of one run.

    Args:
        running: gives the rig of the running case.
    """

    def __init__(self, running: Callable[[], Rig]) -> None:
        self._running_rig = running

    @property
    def _running(self) -> Rig:
        return self._running_rig()

    @property
    def _server(self) -> Harness:
        if not isinstance(self._running, Harness):
            raise SuiteError("this fixture is for cases of the role `responder`")
        return self._running

    @property
    def _caller(self) -> ClientHarness:
        if not isinstance(self._running, ClientHarness):
            raise SuiteError("this fixture is for cases of the role `requester`")
        return self._running

    def _require(self, version: int) -> None:
        if version not in self._running.profile.claims.versions:
            raise Unsupported(f"the profile does not claim version {version}")

    def _require_version_one_only(self) -> None:
        self._require(1)
        if 2 in self._running.profile.claims.versions:
            raise Unsupported("the profile claims version 2: the case is about a device without it")

    @pytest.fixture
    def peer(self) -> Peer:
        """A connection on which a good call has just been answered."""
        self._require(1)
        return self._server.ready_peer()

    @pytest.fixture
    def connect(self) -> Callable[..., Peer]:
        """Makes connections on which nothing has been sent; see `Harness.connect`."""
        self._require(1)
        harness = self._server
        harness.see_that_it_serves()
        return harness.connect

    @pytest.fixture
    def peer_two(self) -> Peer:
        """A connection on which a good call in Version Two has just been answered."""
        self._require(2)
        return self._server.ready_peer_two()

    @pytest.fixture
    def connect_two(self) -> Callable[..., Peer]:
        """Makes connections for Version Two on which nothing has been sent."""
        self._require(2)
        harness = self._server
        harness.see_that_it_serves()
        return partial(harness.connect, version=2)

    @pytest.fixture
    def connect_both(self) -> Callable[..., Peer]:
        """Like `connect`, to a device that speaks both versions."""
        self._require(1)
        self._require(2)
        harness = self._server
        harness.see_that_it_serves()
        return harness.connect

    @pytest.fixture
    def one_only(self) -> Callable[..., Peer]:
        """Makes connections to a device of Version One alone on which nothing has been sent."""
        self._require_version_one_only()
        harness = self._server
        harness.see_that_it_serves()
        return harness.connect

    @pytest.fixture
    def service(self) -> Service:
        """Where the device connects; it has just made a good call."""
        self._require(1)
        return self._caller.ready()

    @pytest.fixture
    def service_two(self) -> Service:
        """Where the device connects; it has just made a good call in Version Two."""
        self._require(2)
        return self._caller.ready_two()

    @pytest.fixture
    def service_fresh(self) -> Service:
        """Where the device connects by its next act, which begins with an offer of Version Two."""
        self._require(2)
        return self._caller.fresh()

    @pytest.fixture
    def service_one(self) -> Service:
        """Where a device of Version One alone connects by its next act; both are spoken there."""
        self._require_version_one_only()
        return self._caller.fresh()

    @pytest.fixture
    def client(self, request: pytest.FixtureRequest) -> ActingClient:
        """The device, to be told to act; whichever service the case asks for has seen it."""
        asked = (name for name in request.fixturenames if name in _SERVICES)
        request.getfixturevalue(next(asked, "service"))
        return self._caller.client

    @pytest.fixture
    def tester(self, request: pytest.FixtureRequest) -> OptionTester:
        """The tester before a device in either role, in Version Two (see `both_ends`)."""
        if request.param == "responder":
            return OptionClient.of(request.getfixturevalue("connect_two"))
        service = request.getfixturevalue("service_two")
        return OptionServer.of(service, request.getfixturevalue("client"))

    @pytest.fixture
    def groups(self, service_two: Service, client: ActingClient) -> GroupServer:
        """The tester before a client that has been told of its groups."""
        return GroupServer.of(service_two, client)

    @pytest.fixture
    def wire(self) -> Iterator[Wire]:
        """The wire to the device; it is whole again after the case."""
        # Only here is the transport needed, which a guest without KVM takes long to import.
        from conformance.tester.wire import Wire

        wire = Wire(self._running.session.fabric)
        yield wire
        wire.heal()

    @pytest.fixture
    def session(self) -> RunningSession:
        """The running device."""
        return self._running.session

    @pytest.fixture
    def target(self) -> Target | ClientTarget:
        """The adapter."""
        return self._running.target

    @pytest.fixture
    def profile(self) -> Profile:
        """The device's profile."""
        return self._running.profile

    @pytest.fixture
    def workload(self) -> Workload:
        """Calls of the profile's binding."""
        return self._server.workload
