"""One screen: the last hour in figures, and the newest of what wants attention."""

from __future__ import annotations

from collections import Counter

from onthedot.store import table_reads
from onthedot.upkeep import minute_tally, tallies
from onthedot.upkeep.claims_audit import audit
from onthedot.upkeep.minute_tally import MINUTES, Tally
from tests.api import ran
from tests.api.kit import Api
from tests.api.signs import audited, ticked


def counted(api: Api, minutes_ago: int, **counts: int) -> None:
    """Puts down what the audit counts of a minute, for us and for another tenant."""
    found = Tally({"acme": Counter(counts), "other": Counter(succeeded=99)})
    at = api.now_ms // 60_000 * 60 - minutes_ago * 60
    table_reads.put(minute_tally.TABLE, minute_tally.item(found, MINUTES, at))


def test_the_hour_is_summed_and_its_minutes_are_shown(api: Api) -> None:
    counted(api, 61, succeeded=50)
    counted(api, 30, succeeded=3, dead=1)
    counted(api, 1, succeeded=5, skipped=2)

    shown = api.call("GET /v1/overview").body

    assert shown["last_hour"]["succeeded"] == 8
    assert shown["last_hour"]["success_percent"] == 88.889
    assert [minute["at"] for minute in shown["minutes"]] == [
        "2026-11-18T11:30:00Z",
        "2026-11-18T11:59:00Z",
    ]
    assert shown["minutes"][1]["skipped"] == 2


def test_runs_are_shown_in_the_minute_they_were_due_whenever_the_audit_saw_their_end(
    api: Api,
) -> None:
    due = [ran.triggered(api) for _ in range(3)]
    for run_id in due:
        ran.started(run_id)
        ran.settled(run_id, "succeeded")
    api.now_ms += 3 * 60_000
    ledger = audit()
    tallies.keep(ledger.tally, due=ledger.due)
    counted(api, 1, succeeded=2)

    shown = api.call("GET /v1/overview").body

    assert {one["at"][11:16]: one["succeeded"] for one in shown["minutes"]} == {
        "12:00": 3,
        "12:02": 2,
        "12:03": 0,
    }
    assert shown["last_hour"]["succeeded"] == 5


def test_where_nothing_ran_there_is_no_share(api: Api) -> None:
    shown = api.call("GET /v1/overview").body

    assert (shown["last_hour"]["success_percent"], shown["minutes"]) == (None, [])


def test_what_wants_attention_is_there_by_kind(api: Api) -> None:
    ids = []
    for _ in range(12):
        ids.append(ran.dead(api))
        api.now_ms += 1_000

    shown = api.call("GET /v1/overview").body["attention"]

    assert [each["run_id"] for each in shown["dead"]] == ids[:1:-1]
    assert {kind: len(found) for kind, found in shown.items()} == {
        "dead": 10,
        "missed": 0,
        "retrying": 0,
        "long": 0,
    }


def test_the_quota_is_shown_as_it_is_used(api: Api) -> None:
    api.schedule()

    assert api.call("GET /v1/overview").body["tasks"] == {"used": 1, "max": 100_000}


def test_what_has_not_changed_is_not_sent_again(api: Api) -> None:
    counted(api, 1, succeeded=1)
    tag = api.call("GET /v1/overview").headers["etag"]

    same = api.call("GET /v1/overview", if_none_match=tag)
    counted(api, 0, succeeded=1)
    other = api.call("GET /v1/overview", if_none_match=tag)

    assert (same.status, same.text, other.status) == (304, "", 200)


def test_another_tenant_sees_its_own(api: Api) -> None:
    ran.dead(api)
    counted(api, 1, succeeded=1)

    shown = api.call("GET /v1/overview", key=api.key("read", "other")).body

    assert shown["last_hour"]["succeeded"] == 99
    assert shown["attention"]["dead"] == []


def test_it_says_when_the_scheduler_was_last_at_work(api: Api) -> None:
    before = api.call("GET /v1/overview").body["scheduler"]
    ticked(api)
    audited(api)
    api.now_ms += 91_000

    after = api.call("GET /v1/overview").body["scheduler"]

    assert before == {
        "state": "unknown",
        "ticked_at": None,
        "audited_at": None,
        "circuit_open": False,
    }
    assert after == {
        "state": "late",
        "ticked_at": "2026-11-18T12:00:00.000Z",
        "audited_at": "2026-11-18T12:00:00.000Z",
        "circuit_open": False,
    }
