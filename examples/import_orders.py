"""An import every five minutes, page by page: copy this file into `jobs/`.

All that calls the shop shares one concurrency key, so the shop never gets two calls at once.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from onthedot import Context, OnTheDot, RetryLater, every

SHOP = "https://shop.example.com/orders"

app = OnTheDot("imports")


@app.job(
    every(300),
    concurrency_key={"key": "shop", "max_running": 1},
    timeout_sec=240,
)
def import_orders(ctx: Context) -> dict[str, int]:
    """Import what is new since the last success; an attempt goes on where the last one stopped."""
    since = ctx.previous_success
    page = ctx.checkpoint or 1
    orders = 0
    while found := page_of(page, since.isoformat() if since else ""):
        for order in found:
            keep(order)
        orders += len(found)
        page += 1
        # Shows progress, and ends the attempt if somebody has cancelled the run.
        ctx.heartbeat(progress={"page": page})
        if ctx.remaining() < 30:
            raise RetryLater(after=1, checkpoint=page)
    return {"pages": page - 1, "orders": orders}


def page_of(number: int, since: str) -> list[dict[str, Any]]:
    """Asks the shop for one page. An empty page is the end."""
    with urlopen(f"{SHOP}?{urlencode({'page': number, 'since': since})}", timeout=20) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def keep(order: dict[str, Any]) -> None:
    """Writes an order to your own database, by its id: after a crash a page may come twice."""
    print("keeping", order["id"])
