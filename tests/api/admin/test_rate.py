"""A rate limit refuses only who is over it, however many environments share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, local

import pytest

from onthedot.api.door import authentication
from onthedot.api.door.request import Asked
from onthedot.records.access.api_key import Caller, tenant_key
from onthedot.records.problems import Problem
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import table_reads
from tests.api.kit import Answer, Api

ASK = "GET /v1/timezones"


class Environments(local):
    """Each thread is an environment of its own, with a memory of its own."""

    def __init__(self) -> None:
        self.purses: dict[str, authentication.Purse] = {}


def apart(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Gives what spends one request in the environment of its thread, and says the status."""
    environments = Environments()

    class Purses(dict[str, authentication.Purse]):
        def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
            return environments.purses.get(name, default)

        def __setitem__(self, name: str, purse: authentication.Purse) -> None:
            environments.purses[name] = purse

    monkeypatch.setattr(authentication, "purses", Purses())
    caller = Caller(key_id="key_1", tenant_id="acme", role="read")

    def status() -> int:
        # The frameworks behind it answer one request at a time, as an environment does.
        asked = Asked(request_id="", method="", path="", headers={}, query={}, caller=caller)
        try:
            authentication.spend(asked)
        except Problem as refused:
            return refused.status
        return 200

    return status


def limited(most: int) -> None:
    table_reads.put("access", tenant_key("acme") | {"requests_per_min": most})


def left(answer: Answer) -> int:
    return int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0])


@pytest.mark.usefixtures("api")
def test_four_hundred_requests_over_forty_eight_environments_are_far_below_six_thousand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(6_000)

    status = apart(monkeypatch)
    with ThreadPoolExecutor(48) as pool:
        statuses = Counter(pool.map(lambda _: status(), range(400)))

    assert statuses == {200: 400}


@pytest.mark.usefixtures("api")
def test_thirty_a_minute_are_thirty_over_twenty_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(30)

    status = apart(monkeypatch)

    all_have_asked = Barrier(20)

    def used(_: int) -> tuple[int, int]:
        """Counts what is answered of six requests, and then until one is refused."""
        at_once = sum(status() == 200 for _ in range(6))
        all_have_asked.wait()
        return at_once, at_once + len([*iter(status, 429)])

    with ThreadPoolExecutor(20) as pool:
        at_once, in_all = map(sum, zip(*pool.map(used, range(20)), strict=True))

    # An environment may still hold a token when the requests of the others are over.
    assert 27 <= at_once <= 30
    assert in_all == 30


def environment(purses: dict[int, dict[str, authentication.Purse]], number: int) -> None:
    """Lets the next request come to that environment."""
    authentication.purses.clear()
    authentication.purses.update(purses.setdefault(number, {}))


@pytest.mark.deep
@pytest.mark.parametrize(("most", "over"), [(30, 20), (100, 7), (600, 50), (6_000, 48)])
def test_idle_environments_hold_back_no_more_than_a_tenth(api: Api, most: int, over: int) -> None:
    """One after the other is used a little, then all of the rest comes to one."""
    limited(most)
    key = api.key()
    purses: dict[int, dict[str, authentication.Purse]] = {}
    answered = 0
    for number in range(over):
        environment(purses, number)
        for _ in range(most // over // 2):
            answered += api.call(ASK, key=key).status == 200
        purses[number] = dict(authentication.purses)
    environment(purses, over)
    while api.call(ASK, key=key).status == 200:
        answered += 1

    assert most * 0.9 <= answered <= most


def test_what_an_answer_says_is_left_never_grows_within_a_minute(api: Api) -> None:
    limited(500)

    told = [left(api.call(ASK)) for _ in range(100)]

    assert told == list(range(499, 399, -1))


def test_who_is_refused_costs_the_store_nothing_more(api: Api) -> None:
    limited(1)
    api.call(ASK)
    api.call(ASK)

    assert api.call(ASK).status == 429
    assert api.trips() == 0


def test_another_limit_holds_within_seconds(api: Api) -> None:
    boss = api.key("admin", FIRST_TENANT)
    api.call(ASK)
    api.call("PUT /v1/tenants/acme", {"requests_per_min": 2}, key=boss)
    api.wait(10)

    lowered = [api.call(ASK).status for _ in range(3)]
    api.call("PUT /v1/tenants/acme", {"requests_per_min": 10}, key=boss)
    api.wait(10)
    raised = [api.call(ASK).status for _ in range(9)]

    assert lowered[-1] == 429
    assert raised[:7] == [200] * 7
    assert raised[-1] == 429


@pytest.mark.deep
def test_creates_cost_on_average_what_they_did(api: Api) -> None:
    """Blocks that begin small cost some calls more in an environment's first seconds only."""
    limited(6_000)
    task = {"target": {"type": "python", "handler": "hello"}, "delay_sec": 900}
    api.call("POST /v1/tasks", task)

    trips = 0
    for _ in range(200):
        api.call("POST /v1/tasks", task)
        trips += api.trips()

    assert trips <= 200 * 3 + 10


def test_a_clock_that_is_behind_takes_of_the_minute_that_another_has_begun(api: Api) -> None:
    limited(30)
    key = api.key("read")
    api.now_ms += 60_000
    assert api.call(ASK, key=key).status == 200
    authentication.purses.clear()
    api.now_ms -= 50

    late = [api.call(ASK, key=key) for _ in range(40)]

    assert [answer.status for answer in late] == [200] * 29 + [429] * 11
