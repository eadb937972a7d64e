"""One store for all tests of the API, fresh tables for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.checked import CheckedApi
from tests.api.kit import Api
from tests.contract import engines


@pytest.fixture(scope="session")
def store_url() -> Iterator[str]:
    with engines.dynoxide() as url:
        yield url


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, store_url: str) -> Api:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return CheckedApi.made(monkeypatch, store_url)
