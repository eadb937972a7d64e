"""Examples of handlers: copy one, change it, and delete what you do not want."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from onthedot import Context, Fail, OnTheDot, RetryLater, Skip, cron

app = OnTheDot("examples")


@app.job()
def hello(ctx: Context, who: str = "world") -> dict[str, str]:
    """Greet whom the payload names; tasks and triggers call it, no schedule of its own does."""
    ctx.log.info("greeting", who=who)
    return {"greeting": f"Hello, {who}!"}


@app.job(cron("0 9 * * 1-5", timezone="America/New_York"), overlap="skip", timeout_sec=300)
def weekday_report(ctx: Context) -> dict[str, object]:
    """Report on the day before the slot, and charge for it once, however many attempts it takes."""
    if ctx.scheduled_for is None:
        raise Skip("a report belongs to a slot, and this run has none")
    day = (ctx.scheduled_for - timedelta(days=1)).date().isoformat()
    invoice = ctx.once("invoice", lambda: f"invoice of {day}")
    return {"day": day, "invoice": invoice}


@app.job()
def count(ctx: Context, to: int, pause_sec: int = 0) -> int:
    """Counts in steps: a long job that shows progress and goes on where it was stopped."""
    if to < 0:
        raise Fail(f"nobody counts to {to}")
    for number in range(ctx.checkpoint or 0, to):
        ctx.heartbeat(progress=number / to)
        if ctx.remaining() < 10:
            raise RetryLater(after=pause_sec, checkpoint=number)
    return to


@app.job()
async def wait(ctx: Context, seconds: float) -> float:
    """Waits until the time is over, or until the run must stop."""
    left = seconds
    while left > 0 and not ctx.cancelled:
        await asyncio.sleep(min(left, 0.2))
        left -= 0.2
    ctx.heartbeat()
    return seconds
