"""One stack for all scenarios, which are played at the same time: each test waits for its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.blackbox.receiver import receiving
from tests.blackbox.stack import started
from tests.blackbox.world import Scenarios, World, playing


@pytest.fixture(scope="session")
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    with (
        receiving() as receiver,
        started(tmp_path_factory.mktemp("blackbox") / "onthedot") as stack,
    ):
        world = World(stack, receiver)
        chosen = _chosen(request.session)
        alone = [each for each in chosen if each.get_closest_marker("alone")]
        together = [each for each in chosen if each not in alone]
        with playing(world, _scenarios(together, world), _scenarios(alone, world)):
            yield world


def _chosen(session: pytest.Session) -> list[pytest.Function]:
    """Returns the tests that were chosen and that play in the world, those that take long first."""
    chosen = [each for each in session.items if isinstance(each, pytest.Function)]
    mine = [each for each in chosen if "world" in each.fixturenames]
    return sorted(mine, key=lambda each: each.get_closest_marker("long") is None)


def _scenarios(items: list[pytest.Function], world: World) -> Scenarios:
    return {each.nodeid: partial(each.obj, world=world, **_parameters(each)) for each in items}


def _parameters(item: pytest.Function) -> dict[str, Any]:
    return dict(item.callspec.params) if hasattr(item, "callspec") else {}


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Wait for a scenario that is being played; any other test is called as ever."""
    world = pyfuncitem.funcargs.get("world")
    if not isinstance(world, World):
        return None
    world.played[pyfuncitem.nodeid].result()
    return True
