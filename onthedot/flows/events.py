"""Events: kept first, then told, then noted as told; so each is told, and hardly one twice.

A crash in between tells it again, under the id that it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.adapters import claims, clock, net, secrets, tables
from onthedot.adapters import events as outbox
from onthedot.core import events, signatures
from onthedot.core.events import Event
from onthedot.core.signatures import BadSecret
from onthedot.core.web import NoResponse, Request, Response

# A minute's worth for a place: after an outage the rest is told in the minutes that follow.
AT_ONCE = 200
_LOOK_MAX = 5_000
_WEBHOOK_SEC = 10.0
_TELLING_SEC = 20.0


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
    until = clock.monotonic() + _TELLING_SEC
    listed = _listed(places)
    told = [name for place, items in listed.items() for name in _told(place, items, until)]
    now_ms = clock.now_ms()
    claims.write_surely([events.told(name, now_ms) for name in told])
    for name in told:
        tables.delete(events.TABLE, {"task_id": events.OPEN, "scheduled_for": name})
    refused = sum(map(len, listed.values())) - len(told)
    return {"events_told": len(told), "events_refused": refused}


def _listed(places: Sequence[str]) -> dict[str, list[tables.Item]]:
    """What is open for each place: one that takes nothing leaves no less room for the others."""
    found: dict[str, list[tables.Item]] = {place: [] for place in places}
    listed = tables.rows(("task_id", events.OPEN), "scheduled_for", ("0", "~"))
    for item in islice(listed, _LOOK_MAX):
        mine = found.get(item["to"])
        if mine is not None and len(mine) < AT_ONCE:
            mine.append(item)
    return found


def _told(place: str, items: Sequence[tables.Item], until: float) -> list[str]:
    """Give the names of what was taken; a place that fails is no reason to stop."""
    try:
        if not place.startswith("arn:"):
            return list(_by_webhook(place, items, until))
        outbox.send(place, [item["body"] for item in items])
    except (BotoCoreError, ClientError, RuntimeError, BadSecret):
        return []
    return [item["scheduled_for"] for item in items]


def _by_webhook(url: str, items: Sequence[tables.Item], until: float) -> Iterator[str]:
    """Whoever does not answer is asked no more this minute: the audit has other things to do."""
    keys = _signing_keys()
    for item in items:
        if clock.monotonic() >= until:
            return
        seen = _webhook(url, item, keys)
        if isinstance(seen, NoResponse):
            return
        if seen.status // 100 == 2:
            yield item["scheduled_for"]


def _signing_keys() -> list[bytes]:
    ref = outbox.signing_ref()
    return signatures.keys(secrets.reveal(ref)) if ref else []


def _webhook(url: str, item: tables.Item, keys: Sequence[bytes]) -> Response | NoResponse:
    """Signed as what is sent to targets is: one receiver's code checks both."""
    text, at = item["body"].encode(), clock.now_ms() // 1000
    event_id = item["scheduled_for"].partition("#")[0]
    headers = {
        "content-type": "application/cloudevents+json",
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
    }
    if keys:
        headers["webhook-signature"] = signatures.header(
            keys, message_id=event_id, timestamp=at, body=text
        )
    return net.send(
        Request(method="POST", url=url, headers=headers, body=text, patience_sec=_WEBHOOK_SEC)
    )
