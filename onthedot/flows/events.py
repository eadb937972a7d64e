"""Events: kept first, then told, then noted as told; so each is told, and hardly one twice.

A crash in between tells it again, under the id that it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.adapters import claims, clock, net, secrets, tables
from onthedot.adapters import events as outbox
from onthedot.core import events, signatures
from onthedot.core.events import Event
from onthedot.core.web import Request, Response

# A minute's worth: after an outage the rest is told in the minutes that follow.
AT_ONCE = 200
_WEBHOOK_SEC = 10.0


def keep(happened: Sequence[Event]) -> None:
    """Put events among what is to be told; those that have been are not told again."""
    places = outbox.destinations()
    if not happened or not places:
        return
    wanted = {
        events.telling(event, place): events.to_tell(event, place, clock.now_ms())
        for event in happened
        for place in places
    }
    marks = [{"task_id": events.TOLD, "scheduled_for": name} for name in wanted]
    items = tables.get_many({events.TABLE: marks})[events.TABLE]
    over = {item["scheduled_for"] for item in items}
    claims.write_surely([write for name, write in wanted.items() if name not in over])


def tell() -> dict[str, int]:
    """Tell what is open; what a place refuses stays open for the next minute, for a day at most."""
    places = outbox.destinations()
    if not places:
        return {}
    listed = tables.rows(("task_id", events.OPEN), "scheduled_for", ("0", "~"))
    items = [item for item in islice(listed, AT_ONCE) if item["to"] in places]
    told = [name for place in places for name in _told(place, _for(place, items))]
    now_ms = clock.now_ms()
    claims.write_surely([events.told(name, now_ms) for name in told])
    for name in told:
        tables.delete(events.TABLE, {"task_id": events.OPEN, "scheduled_for": name})
    return {"events_told": len(told), "events_refused": len(items) - len(told)}


def _for(place: str, items: Sequence[tables.Item]) -> list[tables.Item]:
    return [item for item in items if item["to"] == place]


def _told(place: str, items: Sequence[tables.Item]) -> list[str]:
    """Give the names of what was taken; a place that fails is no reason to stop."""
    if not place.startswith("arn:"):
        return [item["scheduled_for"] for item in items if _webhook(place, item)]
    try:
        outbox.send(place, [item["body"] for item in items])
    except (BotoCoreError, ClientError, RuntimeError):
        return []
    return [item["scheduled_for"] for item in items]


def _webhook(url: str, item: tables.Item) -> bool:
    """Signed as what is sent to targets is: one receiver's code checks both."""
    text, at = item["body"].encode(), clock.now_ms() // 1000
    event_id = item["scheduled_for"].partition("#")[0]
    headers = {
        "content-type": "application/cloudevents+json",
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
    }
    if ref := outbox.signing_ref():
        keys = signatures.keys(secrets.reveal(ref))
        headers["webhook-signature"] = signatures.header(
            keys, message_id=event_id, timestamp=at, body=text
        )
    seen = net.send(
        Request(method="POST", url=url, headers=headers, body=text, patience_sec=_WEBHOOK_SEC)
    )
    return isinstance(seen, Response) and seen.status // 100 == 2
