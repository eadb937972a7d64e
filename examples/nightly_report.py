"""A report each night at two in New York, sent once: copy this file into `jobs/`.

`make run` and `make deploy` register its schedule.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from urllib.request import Request, urlopen
from zoneinfo import ZoneInfo

from onthedot import Context, OnTheDot, Skip, cron

SEND_TO = "https://chat.example.com/hooks/reports"
ZONE = "America/New_York"

app = OnTheDot("reports")


@app.job(
    cron("0 2 * * *", timezone=ZONE),
    max_attempts=5,
    retry={"base_sec": 60},
    # After an outage of up to three days each night still gets its report, oldest first.
    misfire="all",
    misfire_grace_sec=3 * 86_400,
)
def nightly_report(ctx: Context) -> dict[str, object]:
    """Report on the day before the slot, so that a late run and a retry report on the same day."""
    if ctx.scheduled_for is None:
        raise Skip("a report belongs to a night: make an old one again with a backfill")
    day = ctx.scheduled_for.astimezone(ZoneInfo(ZONE)).date() - timedelta(days=1)
    report: dict[str, object] = {"day": day.isoformat(), "orders": orders_of(day)}
    # Recorded once it is sent: no later attempt sends it again.
    ctx.once("send", lambda: send(report, ctx.idempotency_key("send")))
    ctx.log.info("report sent", day=day.isoformat())
    return report


def orders_of(_day: date) -> int:
    """Counts the orders of a day. Put your own query here."""
    return 42


def send(report: dict[str, object], key: str) -> int:
    """Sends the report. The receiver knows a repetition by its key."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    request = Request(SEND_TO, json.dumps(report).encode(), headers)
    # An answer of 400 or more raises: the attempt fails and is tried again.
    with urlopen(request, timeout=10) as answer:
        return int(answer.status)
