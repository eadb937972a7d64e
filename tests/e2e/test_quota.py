"""A tenant's quota on the deployed stack, as the tenant sees it: over HTTP, with real workers."""

from __future__ import annotations

from itertools import pairwise

from onthedot.local.caller import Caller
from tests.e2e.kit import WAIT, Local, until

SMALL = "/v1/tenants/small"
SECONDS = 6.0


def test_what_is_too_much_waits_and_starts_when_another_ends(local: Local) -> None:
    limited, _ = local.caller.ask("PUT", SMALL, {"running_max": 1, "targets": ["python:*"]})
    made, key = local.caller.ask("POST", f"{SMALL}/keys", {"role": "write"})
    assert (limited, made) == (200, 201)
    small = Local(local.stack, Caller(local.stack.door.port, key["key"]))
    name = small.register(
        "waits", cron="0 0 1 1 *", target=WAIT, overlap="allow", max_concurrent=None
    )
    free = local.register(
        "free", cron="0 0 1 1 *", target=WAIT, overlap="allow", max_concurrent=None
    )

    ids = [small.trigger(name, payload={"seconds": SECONDS}) for _ in range(3)]
    other = local.trigger(free, payload={"seconds": SECONDS})
    seen = until(lambda: _shown(small, ids), lambda seen: seen.count(("waiting", "tenant")) == 2)

    assert seen.count(("running", None)) == 1
    assert local.settled(other)["status"] == "succeeded"
    runs = sorted((small.settled(run_id, 60) for run_id in ids), key=lambda run: run["started_at"])
    assert [(run["status"], run["attempt"]) for run in runs] == [("succeeded", 1)] * 3
    for before, after in pairwise(runs):
        assert before["ended_at"] <= after["started_at"]


def _shown(small: Local, ids: list[str]) -> list[tuple[str, str | None]]:
    found = [small.run(run_id) for run_id in ids]
    return [(run["status"], run["reason"]) for run in found]
