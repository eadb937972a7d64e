"""Calls your service a day before a customer's trial ends, unless the customer has paid."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta

from onthedot import ApiError, Client

USAGE = """\
python examples/trial_end.py begins 77 2026-12-24T00:00:00+00:00 https://mail.example.com/trial
python examples/trial_end.py paid tsk_…
"""


def begins(client: Client, customer: str, ends: datetime, url: str) -> str:
    """Register the call; a second one for the same customer gives the task that there is."""
    task = client.tasks.create(
        name="trial-ends",
        run_at=(ends - timedelta(days=1)).isoformat(),
        target={"type": "http", "url": url},
        payload={"customer": customer, "ends": ends.isoformat()},
        idempotency_key=f"trial-{customer}",
        idempotency_ttl_sec=30 * 86_400,
    )
    return task["task_id"]


def paid(client: Client, task_id: str) -> bool:
    """Cancel the call; False says that it was made already."""
    try:
        client.tasks.cancel(task_id)
    except ApiError as refusal:
        if refusal.code not in {"already_started", "already_finished"}:
            raise
        return False
    return True


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["begins", customer, ends, url]:
            print(begins(Client(), customer, datetime.fromisoformat(ends), url))
        case ["paid", task_id]:
            print("cancelled" if paid(Client(), task_id) else "too late")
        case _:
            sys.exit(USAGE)
