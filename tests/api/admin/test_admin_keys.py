"""The operator's admin keys: one always opens, and one can always be made."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.access.audit_trail import By
from onthedot.records.problems import Problem
from onthedot.registry import api_keys
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import conditional_writer
from tests.api.kit import Answer, Api
from tests.api.new_process import forget_keys

ADMIN = {"role": "admin", "name": "second"}
SOON, LATER = "2026-11-18T13:00:00Z", "2026-12-18T12:00:00Z"


def boss(api: Api) -> str:
    return api.key("admin", FIRST_TENANT)


def key_ids(api: Api) -> list[str]:
    return [one["key_id"] for one in asked(api, "GET /v1/keys").body["data"]]


def asked(api: Api, route: str, body: object = None, **headers: str) -> Answer:
    return api.call(route, body, key=boss(api), **headers)


def test_the_last_admin_key_cannot_be_revoked_nor_planned_to_be(api: Api) -> None:
    (mine,) = key_ids(api)
    asked(api, "POST /v1/keys", {"role": "write"})
    asked(api, "POST /v1/keys", ADMIN | {"expires_at": SOON})
    gone = asked(api, "POST /v1/keys", ADMIN).body["key_id"]
    assert asked(api, f"DELETE /v1/keys/{gone}").status == 204
    api.wait(3_600)

    for query in ("", "?dry_run=true"):
        refused = asked(api, f"DELETE /v1/keys/{mine}{query}")
        assert (refused.status, refused.body["code"]) == (409, "last_admin_key")
        assert "make another one first" in refused.body["detail"]
    assert asked(api, "GET /v1/schedules").status == 200


def test_with_another_admin_key_it_can(api: Api) -> None:
    (mine,) = key_ids(api)
    other = asked(api, "POST /v1/keys", ADMIN).body["key"]

    assert api.call(f"DELETE /v1/keys/{mine}", key=other).status == 204
    api.wait(60)
    assert asked(api, "GET /v1/keys").status == 401
    assert api.call("GET /v1/keys", key=other).status == 200


def test_another_tenants_last_admin_key_can_for_the_operator_makes_another(api: Api) -> None:
    (mine,) = [one["key_id"] for one in api.call("GET /v1/keys").body["data"]]

    assert api.call(f"DELETE /v1/keys/{mine}").status == 204
    assert asked(api, "POST /v1/tenants/acme/keys", {"role": "admin"}).status == 201


def test_of_two_revocations_at_once_one_is_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    boss(api)
    api_keys.make(tenant_id=FIRST_TENANT, role="admin", name="")
    one, other = api_keys.of(FIRST_TENANT)
    whole = conditional_writer.write_together

    def meanwhile(writes: Any) -> Any:
        monkeypatch.setattr(conditional_writer, "write_together", whole)
        api_keys.revoke(other, by("A"))
        return whole(writes)

    monkeypatch.setattr(conditional_writer, "write_together", meanwhile)
    with pytest.raises(Problem) as refused:
        api_keys.revoke(one, by("B"))

    assert refused.value.code == "last_admin_key"
    assert [key.revoked_ms > 0 for key in api_keys.of(FIRST_TENANT)] == [False, True]


def by(chance: str) -> By:
    return By(
        tenant_id=FIRST_TENANT, key_id="key_1", request_id="req_1", now_ms=1, chance=chance * 16
    )


def test_the_last_to_expire_carries_a_warning_wherever_it_is_shown(api: Api) -> None:
    (mine,) = key_ids(api)
    first = asked(api, "POST /v1/keys", ADMIN | {"expires_at": LATER}).body
    assert first["warnings"] == []
    plan = api.call(f"DELETE /v1/keys/{mine}?dry_run=true", key=first["key"])
    assert plan.status == 200
    api.call(f"DELETE /v1/keys/{mine}", key=first["key"])

    sooner = api.call("POST /v1/keys", ADMIN | {"expires_at": SOON}, key=first["key"]).body
    later = api.call(f"GET /v1/keys/{first['key_id']}", key=first["key"]).body
    listed = api.call("GET /v1/keys", key=first["key"]).body["data"]

    assert sooner["warnings"] == []
    assert later["warnings"] == [
        (
            f"After {LATER} no admin key of 'default' is valid: make one without expires_at."
            " If it is too late, run make deploy: it makes one."
        )
    ]
    assert [one["key_id"] for one in listed if one["warnings"]] == [first["key_id"]]
    lasting = api.call("POST /v1/keys", ADMIN, key=first["key"]).body
    assert lasting["warnings"] == []
    shown = api.call(f"GET /v1/keys/{first['key_id']}", key=first["key"]).body
    assert shown["warnings"] == []


def test_the_only_admin_key_is_warned_of_when_it_is_made(api: Api) -> None:
    (mine,) = key_ids(api)
    until = ADMIN | {"expires_at": SOON}
    made = asked(api, "POST /v1/keys", until).body
    api.call(f"DELETE /v1/keys/{mine}", key=made["key"])

    later = api.call("POST /v1/keys", until | {"expires_at": LATER}, key=made["key"]).body

    assert "no admin key of 'default' is valid" in later["warnings"][0]


def test_a_deployment_makes_one_when_none_opens(api: Api) -> None:
    text = api_keys.make_first()
    assert text is not None
    assert api_keys.make_first() is None
    (first,) = api_keys.of(FIRST_TENANT)
    api.secrets[FIRST_TENANT, "admin"] = text
    asked(api, "POST /v1/keys", {"role": "write"})
    ended = asked(api, "POST /v1/keys", ADMIN | {"expires_at": SOON}).body["key"]
    api.call(f"DELETE /v1/keys/{first.key_id}", key=ended)

    assert api_keys.make_first() is None
    api.wait(3_600)
    again = api_keys.make_first()

    assert again is not None
    forget_keys()
    assert api.call("GET /v1/keys", key=again).status == 200
