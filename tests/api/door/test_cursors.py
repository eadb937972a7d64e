"""Cursors: ours go on where the page ended; made up ones cost nothing and are told so."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial
from hashlib import sha256
from statistics import median
from time import perf_counter
from urllib.parse import parse_qsl, urlencode

import pytest

from onthedot.api import app
from onthedot.api.door import installation_secret
from onthedot.records.access import page_token
from onthedot.registry import api_keys
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import table_reads
from onthedot.store.access import tenants
from tests.api import ran
from tests.api.kit import Answer, Api

# A row's key, a moment and an end, well written, but of the year 2040.
KEY, MOMENT = "2040-01-01T00:00:00Z", "2040-01-01T00:00:00.000Z"
END = f"2208988800000#{KEY}"
# A list, and where it would go on in that year; the year 9999 is made of it.
LISTS: dict[str, tuple[str, ...]] = {
    "/v1/runs": (MOMENT, MOMENT, "sch_1.20400101T000000Z"),
    "/v1/runs?status=dead": (END, "sch_1", KEY),
    "/v1/runs?status=long": (END, "sch_1", KEY),
    "/v1/schedules": (MOMENT, "sch_1"),
    "/v1/schedules?status=failing": (END, "sch_1"),
    "/v1/tasks": (MOMENT, "tsk_1"),
    "/v1/upcoming": (KEY, "sch_1"),
    "/v1/audit": (f"{MOMENT}#01KAB",),
    "/v1/schedules/report/runs": (KEY,),
    "/v1/schedules/report/slots": (KEY,),
    "/v1/schedules/report/backfills": (KEY,),
    "/v1/dead-letters": (END, "sch_1", KEY),
    "/v1/dead-letters/operations": ("~",),
}
FORMS = ("[]", "[1,2]", "[null]", "{}", "no JSON", '["x","x"]', "[" * 900, '"', "", '["\\u0000"]')
FORGED = [
    (path, told)
    for path, late in LISTS.items()
    for told in (*FORMS, json.dumps(late), json.dumps(late).replace("20", "99"))
]


def unsealed(path: str, told: str) -> str:
    """Returns what the former release would have written: everybody could compute it."""
    bound = json.dumps({"tenant": "acme", "path": path.partition("?")[0], "filters": {}})
    return spelled(sha256(f"{bound}|{told}".encode()).hexdigest()[:16].encode() + told.encode())


def sealed(path: str, told: str) -> str:
    """Returns what only the secret's owner can write."""
    bare, _, query = path.partition("?")
    bound = {"tenant": "acme", "path": bare, "asked": dict(parse_qsl(query))}
    secret = installation_secret.derived(page_token.PURPOSE)
    honest = page_token.written(["x"], bound, secret)
    seal = page_token._seal(told.encode(), bound, secret)  # noqa: SLF001  # as a thief would
    assert page_token.read(honest, bound, secret) == ["x"]
    return spelled(seal + told.encode())


def spelled(found: bytes) -> str:
    return urlsafe_b64encode(found).decode().rstrip("=")


def asked(api: Api, path: str, cursor: str) -> Answer:
    return api.call(f"GET {path}{'&' if '?' in path else '?'}cursor={cursor}")


def test_there_are_more_forged_positions_than_were_reported() -> None:
    assert len(FORGED) >= 77


@pytest.mark.parametrize("path", LISTS)
def test_a_forged_position_is_refused_before_anything_is_read(api: Api, path: str) -> None:
    api.schedule()
    api.warm()

    for told in (told for where, told in FORGED if where == path):
        refused = asked(api, path, unsealed(path, told))

        assert (refused.status, refused.body["code"]) == (400, "cursor_mismatch"), told
        assert api.trips() == 0, told


@pytest.mark.parametrize("path", LISTS)
def test_a_position_that_cannot_exist_is_refused_even_under_our_own_seal(
    api: Api, path: str
) -> None:
    api.schedule()
    api.warm()

    for told in (told for where, told in FORGED if where == path):
        refused = asked(api, path, sealed(path, told))

        assert (refused.status, refused.body["code"]) == (400, "cursor_mismatch"), told
        # The schedule that the path names is read.
        assert api.trips() <= 3, told


HALF_PAST = "2026-11-18T11:30:00Z"


@pytest.mark.parametrize(
    ("path", "position"),
    [
        ("/v1/runs?status=dead", (f"1795001400000#{HALF_PAST}", "sch_1", HALF_PAST)),
        ("/v1/schedules/report/runs", (HALF_PAST,)),
        ("/v1/schedules/report/slots", (HALF_PAST,)),
    ],
)
def test_a_position_behind_the_end_of_what_is_asked_for_is_refused(
    api: Api, path: str, position: tuple[str, ...]
) -> None:
    api.schedule()
    until = {"to": "2026-11-18T11:00:00Z", "from": "2026-11-18T10:00:00Z"}
    path = f"{path}{'&' if '?' in path else '?'}{urlencode(until)}"

    refused = asked(api, path, sealed(path, json.dumps(position)))

    assert (refused.status, refused.body["code"]) == (400, "cursor_mismatch")


# What is not there, at the same route, or at the nearest that names one thing.
ABSENT = {
    "/v1/runs": "/v1/runs?task_id=absent",
    "/v1/runs?status=dead": "/v1/runs?task_id=absent",
    "/v1/runs?status=long": "/v1/runs?task_id=absent",
    "/v1/schedules/report/runs": "/v1/schedules/absent/runs",
    "/v1/schedules/report/slots": "/v1/schedules/absent/slots",
    "/v1/schedules/report/backfills": "/v1/schedules/absent/backfills",
    "/v1/dead-letters/operations": "/v1/dead-letters/operations/absent",
    "/v1/tasks": "/v1/tasks/absent",
}


@pytest.mark.parametrize("path", LISTS)
def test_a_forged_position_takes_no_longer_than_what_is_not_there(api: Api, path: str) -> None:
    absent = ABSENT.get(path, "/v1/schedules/absent")
    assert api.call(f"GET {absent}").status == 404
    api.schedule()
    api.warm()
    asks = {
        told: partial(asked, api, path, unsealed(path, told)) for at, told in FORGED if at == path
    }
    asks["absent"] = partial(api.call, f"GET {absent}")
    took: dict[str, list[float]] = {told: [] for told in asks}

    # In turn: what the machine does beside slows all of them alike.
    for told in [*asks] * 20:
        began = perf_counter()
        asks[told]()
        took[told].append(perf_counter() - began)

    there = median(took.pop("absent"))
    assert {told: median(each) for told, each in took.items() if median(each) > there} == {}


def test_a_cursor_is_good_for_its_tenant_its_address_and_its_filters_only(api: Api) -> None:
    for name in ("one", "two", "three"):
        api.schedule(name, tags={"team": "a"})
    cursor = api.call("GET /v1/schedules?tag=team&limit=1").body["next_cursor"]
    other = api.key("read", "other")

    assert api.call(f"GET /v1/schedules?tag=team&limit=2&cursor={cursor}").status == 200
    for refused in (
        api.call(f"GET /v1/schedules?tag=team&cursor={cursor}", key=other),
        api.call(f"GET /v1/schedules?cursor={cursor}"),
        api.call(f"GET /v1/schedules?tag=team:a&cursor={cursor}"),
        api.call(f"GET /v1/tasks?tag=team&cursor={cursor}"),
        api.call(f"GET /v1/schedules?tag=team&cursor={cursor[:-1]}"),
        api.call(f"GET /v1/schedules?tag=team&cursor={cursor}{cursor}"),
        api.call(f"GET /v1/schedules?tag=team&cursor={'A' * 3_000}"),
    ):
        assert (refused.status, refused.body["code"]) == (400, "cursor_mismatch")


def test_no_letter_of_a_cursor_can_be_changed(api: Api) -> None:
    for name in ("one", "two"):
        api.schedule(name)
    cursor = api.call("GET /v1/schedules?limit=1").body["next_cursor"]
    whole = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    for place in range(len(whole)):
        other = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        assert asked(api, "/v1/schedules", spelled(other)).status == 400, place


def test_the_slots_of_a_day_back_and_ahead_go_on_a_minute_later(api: Api) -> None:
    api.schedule(cron="*/15 * * * *")
    first = api.call("GET /v1/schedules/report/slots?limit=10").body
    api.now_ms += 60_000

    second = api.call(f"GET /v1/schedules/report/slots?limit=10&cursor={first['next_cursor']}")

    assert second.status == 200
    assert first["data"][-1]["scheduled_for"] < second.body["data"][0]["scheduled_for"]


def test_a_history_goes_on_behind_a_step_with_the_longest_name(api: Api) -> None:
    """What lies beside a run may end a page, though it is not shown."""
    api.schedule()
    run_id = ran.triggered(api)
    ran.triggered(api)
    ran.started(run_id)
    item = ran.read(run_id)
    for number in range(3):
        step = f"{number}{chr(0x1F600) * 199}"
        row = {"task_id": item.task_id, "scheduled_for": f"{item.key}^once#{step}", "value": "1"}
        table_reads.put("runs", row)

    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.call(f"GET /v1/schedules/report/runs?limit=1{cursor and f'&cursor={cursor}'}")
        assert page.status == 200, page.text
        found += [run["run_id"] for run in page.body["data"]]
        cursor = page.body["next_cursor"]

    assert len(found) == len(set(found)) == 2


def test_a_question_may_read_so_much_and_no_more(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a clamp missing, this still holds."""
    api.warm()
    monkeypatch.setattr(app, "READS_MAX", 5)

    refused = api.call("GET /v1/runs")

    assert (refused.status, refused.body["code"]) == (400, "unsupported_filter")
    assert "more than 5 reads" in refused.body["detail"]
    assert api.trips() == 5


def test_what_is_written_may_take_as_many_calls_as_it_needs(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "READS_MAX", 0)

    assert api.schedule()["name"] == "report"


@pytest.mark.parametrize("path", ["/v1/keys", "/v1/tenants"])
def test_a_list_of_hundreds_is_read_a_hundred_at_a_time(api: Api, path: str) -> None:
    boss = api.key("admin", FIRST_TENANT)
    for number in range(120):
        api_keys.make(tenant_id=FIRST_TENANT, role="read", name="")
        tenants.list_it(f"t-{number}", "")
    api.call("GET /v1/timezones", key=boss)

    listed = api.call(f"GET {path}", key=boss)

    assert len(listed.body["data"]) == 121
    assert api.trips() <= 6
