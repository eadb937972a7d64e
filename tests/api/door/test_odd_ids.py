"""Ids that cannot exist, in every path that names a thing: nothing is there, and nothing breaks."""

from __future__ import annotations

import re
from zlib import crc32

import pytest

from onthedot.api.door import authentication
from onthedot.api.door.routes import ROUTES, Route
from onthedot.records.access.api_key import SECRET_LENGTH
from tests.api.door.test_isolation import BODIES
from tests.api.kit import Api

NAMED = [route for route in ROUTES if route.role and "{" in route.path]
# These make what is not there, so the name is judged as a part of the body.
MAKING = ("PUT /v1/schedules/{schedule}", "PUT /v1/calendars/{calendar_id}")
ODD = (
    *("a.T.T", "a.bTcTd", "a.TTT", ".", "..", "...", "a.", ".a", "T", ".T", "a.T", "sch_"),
    *("sch_X.20261118T120000Z", "sch_X.20269999T999999Z", "sch_X.20261118T120000Z~", "x" * 256),
    *("sch_X.20261118T120000Z^payload", "sch_X.20261118T120000Z.20261118T120000Z", "a#b", "#gate"),
    *("sch_\x00", "\x7f", "a\tb", "a\nb", "\u202e", "caf\u00e9", "\U0001f600" * 256, "\uff0e"),
    *("sch_X.\u0662\u0660\u0662\u0666\u0661\u0661\u0661\u0668T120000Z", "null", "-1", "%", "%00"),
    *("sch_" + "9" * 200, "key_" + "\U0001f600" * 200, "*", "{}", "[]", "'", '"', "a b", " ", "~"),
)


@pytest.mark.deep
@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.key)
def test_an_id_that_cannot_exist_is_not_found(api: Api, route: Route) -> None:
    body = BODIES.get(route.key, {} if route.method in ("POST", "PUT", "PATCH") else None)
    expected = (400, 404, 422) if route.key in MAKING else (404,)
    shape = re.sub(r"{\w+}", "{}", route.path)
    found = {odd: api.call(f"{route.method} {shape.replace('{}', odd)}", body) for odd in ODD}

    wrong = {odd: one.text for odd, one in found.items() if one.status not in expected}

    assert wrong == {}


def made_up(key_id: str, secret: str = "S" * SECRET_LENGTH) -> str:
    """Returns a key whose checksum is right: everybody can compute it."""
    return f"otd_{key_id}_{secret}{crc32(f'key_{key_id}_{secret}'.encode()):08x}"


@pytest.mark.parametrize("key_id", ["X" * 3_000, "x" * 26, "", "\u00c4" * 26, "-" * 26, "X" * 27])
def test_a_key_whose_id_cannot_exist_costs_no_call(api: Api, key_id: str) -> None:
    refused = api.call("GET /v1/schedules", key=made_up(key_id))

    assert (refused.status, refused.body["code"]) == (401, "unauthenticated")
    assert api.trips() == 0


def test_a_stranger_costs_one_read_however_often_the_same_key_comes(api: Api) -> None:
    stranger = made_up("Z" * 26)

    trips = []
    for _ in range(3):
        assert api.call("GET /v1/schedules", key=stranger).status == 401
        trips.append(api.trips())

    assert trips == [1, 0, 0]


def test_strangers_push_no_key_out_of_what_is_remembered(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "_REMEMBERED_MAX", 3)
    api.warm()

    for number in range(10):
        api.call("GET /v1/schedules", key=made_up(f"{number:026}"))

    api.call("GET /v1/timezones")
    assert api.trips() == 0
    api.call("GET /v1/schedules", key=made_up(f"{9:026}"))
    assert api.trips() == 0


def test_of_more_keys_than_are_remembered_the_oldest_is_read_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "_REMEMBERED_MAX", 2)
    keys = [api.key(role) for role in ("admin", "write", "read")]
    for key in keys:
        api.call("GET /v1/timezones", key=key)

    reads = []
    for key in (keys[2], keys[0]):
        assert api.call("GET /v1/timezones", key=key).status == 200
        reads.append(api.calls["GetItem"])

    assert reads == [0, 1]
