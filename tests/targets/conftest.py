"""Receivers on this machine, which the operator has allowed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot.targets.http import http_client, secrets
from tests.simulation.calm_stage import stage
from tests.targets.receiver import Receiver, receiving


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets targets be on this machine; what an earlier test left behind is forgotten."""
    monkeypatch.setenv("TARGET_NETWORKS", "127.0.0.0/8,::1/128")
    _forget()
    yield
    _forget()


@pytest.fixture
def receiver(request: pytest.FixtureRequest) -> Iterator[Receiver]:
    request.getfixturevalue("allowed")
    with receiving() as made:
        yield made


def _forget() -> None:
    """Connections and settings are kept for as long as the process lives."""
    http_client._idle.clear()  # noqa: SLF001
    http_client._networks.cache_clear()  # noqa: SLF001
    secrets._kept.clear()  # noqa: SLF001


__all__ = ["stage"]
