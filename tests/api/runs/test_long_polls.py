"""Requests that wait for work: a tenant has only so many at once, over all environments."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.store import aws, clock
from onthedot.store.access import waiting_polls
from tests.api.kit import Answer, Api
from tests.api.runs.test_leases import LEASE, triggered

MOST = 3


@pytest.fixture(autouse=True)
def few(api: Api) -> None:
    api.settings.setenv("LONG_POLLS", str(MOST))
    api.key("worker")


def asked(api: Api, tenant: str = "acme", **more: Any) -> Answer:
    return api.call("POST /v1/leases", LEASE | more, key=api.key("worker", tenant))


def elsewhere(api: Api, number: int, *, sec: int = 30) -> None:
    """Lets so many polls wait in other environments."""
    for place in range(number):
        until_ms = api.now_ms + sec * 1000
        assert waiting_polls.join(
            "acme", f"p{place}", until_ms=until_ms, now_ms=api.now_ms, most=MOST
        )


def test_a_poll_waits_while_there_are_places(api: Api) -> None:
    elsewhere(api, MOST - 1)
    began = api.now_ms

    answer = asked(api, wait_sec=10)

    assert answer.body == {"data": [], "ask_again_in_sec": None}
    assert api.now_ms - began == 10_000


def test_one_too_many_is_answered_at_once_and_told_when_to_ask_again(api: Api) -> None:
    elsewhere(api, MOST)
    began = api.now_ms

    answer = asked(api, wait_sec=10)

    assert answer.body == {"data": [], "ask_again_in_sec": 2}
    assert api.now_ms == began


def test_one_too_many_still_gets_what_there_is(api: Api) -> None:
    elsewhere(api, MOST)
    run_id = triggered(api, "train")

    answer = asked(api, wait_sec=10)

    assert [lease["run"]["run_id"] for lease in answer.body["data"]] == [run_id]
    assert answer.body["ask_again_in_sec"] is None


def test_another_tenants_polls_take_none_of_ours(api: Api) -> None:
    elsewhere(api, MOST)

    assert asked(api, "other", wait_sec=5).body["ask_again_in_sec"] is None


def test_a_place_is_given_back(api: Api) -> None:
    for _ in range(3 * MOST):
        assert asked(api, wait_sec=2).body["ask_again_in_sec"] is None


def test_a_poll_that_died_gives_its_place_back_by_itself(api: Api) -> None:
    elsewhere(api, MOST, sec=30)
    assert asked(api, wait_sec=2).body["ask_again_in_sec"] == 2

    api.wait(30)

    assert asked(api, wait_sec=2).body["ask_again_in_sec"] is None


def test_a_poll_that_fails_gives_its_place_back(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(api, MOST - 1)
    with monkeypatch.context() as broken:
        broken.setattr(clock, "sleep", _interrupted)
        assert asked(api, wait_sec=5).status == 500

    assert asked(api, wait_sec=5).body["ask_again_in_sec"] is None


def _interrupted(_: float) -> None:
    raise ZeroDivisionError


def test_a_place_that_cannot_be_given_back_costs_no_run_that_was_fetched(api: Api) -> None:
    api.key()
    there, run_ids = aws.dynamodb, []

    def comes_now(seconds: float) -> None:
        api.wait(seconds)
        run_ids.append(triggered(api, "train"))

    def busy(operation: str, **request: Any) -> Any:
        if request.get("UpdateExpression", "").startswith("REMOVE #u.#p"):
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, operation)
        return there(operation, **request)

    with api.settings.context() as during:
        during.setattr(aws, "dynamodb", busy)
        during.setattr(clock, "sleep", comes_now)
        answer = asked(api, wait_sec=5)

    assert answer.status == 200, answer.text
    assert [lease["run"]["run_id"] for lease in answer.body["data"]] == run_ids


def test_a_poll_that_does_not_wait_costs_what_it_did(api: Api) -> None:
    api.warm()
    asked(api, wait_sec=0)
    asked(api, wait_sec=0)
    without = api.trips()

    asked(api, wait_sec=2)

    # Two more looks, a place that is taken and given back, and the first time its item is made.
    assert api.trips() <= 3 * without + 5
