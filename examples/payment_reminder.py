"""Registers a call of your service each working day at nine, tried again when it fails.

python examples/payment_reminder.py https://billing.example.com/remind
"""

from __future__ import annotations

import sys
from typing import Any

from onthedot import ApiError, Client

NAME = "payment-reminder"


def register(client: Client, url: str) -> None:
    """Makes the schedule, or changes it to this. You can run the program again."""
    fields: dict[str, Any] = {
        "cron": "0 9 * * 1-5",
        "timezone": "Europe/Berlin",
        "target": {"type": "http", "url": url},
        # The run's id comes as the header Idempotency-Key, in every attempt the same.
        "payload": {"remind": "payment", "slot": "{{scheduled_for}}"},
        "timeout_sec": 10,
        "max_attempts": 8,
        "retry": {"base_sec": 15, "cap_sec": 900},
        # After an outage one reminder is enough, and none in the afternoon.
        "misfire": "latest",
        "misfire_grace_sec": 3 * 3600,
    }
    try:
        made = client.schedules.create(name=NAME, **fields)
    except ApiError as refusal:
        if refusal.code != "name_taken":
            raise
        made = client.schedules.change(NAME, **fields)
    print(made["explanation"])
    print("next:", made["next_run_at"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # Address and key come from ONTHEDOT_URL and ONTHEDOT_API_KEY.
    register(Client(), sys.argv[1])
