"""Fresh tables for each example, and a receiver that stands for the services they call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.api.kit import Api
from tests.contract import engines
from tests.examples.small_stack import SmallStack, small_stack
from tests.targets.conftest import allowed, receiver

__all__ = ["allowed", "receiver"]
Begin = Callable[[str], SmallStack]


@pytest.fixture(scope="session")
def store_url() -> Iterator[str]:
    with engines.dynoxide() as url:
        yield url


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch, store_url: str, tmp_path: Path) -> Iterator[Begin]:
    """Starts a small stack at a moment of the test's choice."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    api = Api.made(monkeypatch, store_url)
    with ExitStack() as begun:
        yield lambda moment: begun.enter_context(small_stack(api, tmp_path, moment))
