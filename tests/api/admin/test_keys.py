"""API keys: the first one, and what opens the door."""

from __future__ import annotations

import pytest

from onthedot.api.admin import first_key
from tests.api.kit import Api


def test_the_first_key_is_printed_once_and_opens(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    first_key.main([])
    text = capsys.readouterr().out.strip()

    assert api.call("GET /v1/schedules", key=text).status == 200
    assert first_key.main([]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", ["", "Bearer", "otd_x", "Basic YTpi", "Bearer otd_1_2"])
def test_what_is_no_key_opens_nothing(api: Api, text: str) -> None:
    refused = api.send("GET /v1/schedules", "", {"authorization": text} if text else {})

    assert refused.status == 401
    assert refused.body["code"] == "unauthenticated"
    assert refused.headers["www-authenticate"] == "Bearer"


def test_health_needs_no_key(api: Api) -> None:
    assert api.call("GET /v1/health", key="").status == 200
