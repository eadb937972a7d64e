"""Tells events: they are kept, put together, told, and recorded as told.

A crash in between tells one again, under the same id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import inf

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.records.keys import item_key
from onthedot.store import aws, clock, conditional_writer, table_reads, tasks
from onthedot.targets.http import http_client, secrets, signatures
from onthedot.targets.http.signatures import BadSecret
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from onthedot.upkeep.events import cloud_event, destinations, digest
from onthedot.upkeep.events.cloud_event import Event
from onthedot.upkeep.events.digest import Gathered

# Events for one destination in a minute. After an outage the following minutes tell the rest.
AT_ONCE = 200
_LOOK_MAX = 5_000
_WEBHOOK_SEC = 10.0


def keep(happened: Sequence[Event]) -> None:
    """Keeps events to be told. Those that were told are not told again."""
    places = destinations.destinations()
    if not happened or not places:
        return
    wanted = {
        cloud_event.telling(event, place): cloud_event.to_tell(event, place, clock.now_ms())
        for event in happened
        for place in places
    }
    marks = [item_key(cloud_event.TOLD, name) for name in wanted]
    items = table_reads.get_all(cloud_event.TABLE, marks)
    over = {item["scheduled_for"] for item in items}
    conditional_writer.surely([write for name, write in wanted.items() if name not in over])


def tell(work_sec: float = inf) -> dict[str, int]:
    """Tells open events. What a destination refuses is tried again each minute, for a day."""
    places = destinations.destinations()
    if not places:
        return {}
    until = clock.monotonic() + work_sec
    listed = _listed(places)
    told = [each for place, some in listed.items() for each in _told(place, some, until)]
    _strike_off(told)
    refused = sum(map(len, listed.values())) - len(told)
    return {"events_told": len(told), "events_refused": refused}


def _listed(places: Sequence[str]) -> dict[str, list[Gathered]]:
    """Returns the open events of each destination, with a limit of its own for each."""
    found: dict[str, list[Gathered]] = {place: [] for place in places}
    begun = [digest.parse(item) for item in _rows(digest.GATHERED)]
    within = {name for each in begun for name in each.members}
    open_ones = islice(_rows(cloud_event.OPEN), _LOOK_MAX)
    fresh = [
        item for item in open_ones if item["to"] in found and item["scheduled_for"] not in within
    ]
    for each in begun:
        if each.place in found and len(found[each.place]) < AT_ONCE:
            found[each.place].append(each)
    room = {place: AT_ONCE - len(some) for place, some in found.items()}
    chosen: list[Sequence[table_reads.Item]] = []
    for group in digest.alike(fresh):
        room[group[0]["to"]] -= 1
        if room[group[0]["to"]] >= 0:
            chosen.append(group)
    for each in _begun(chosen):
        found[each.place].append(each)
    return found


def _rows(partition: str) -> Iterator[table_reads.Item]:
    return table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~"))


def _begun(groups: Sequence[Sequence[table_reads.Item]]) -> list[Gathered]:
    """Writes groups down before they are told: a repetition has the same members and the same id.

    Two audits at once may make two groups. Then a member is told twice, but never left out.
    """
    task_ids = {digest.task_of(group[0]) for group in groups}
    specs = tasks.specs(sorted(task_ids))
    named = {task_id: spec.get("name", "") for task_id, spec in specs.items()}
    made = [digest.gathered(group, named) for group in groups]
    conditional_writer.surely([each.write() for each in made])
    return made


def _strike_off(told: Sequence[Gathered]) -> None:
    """Deletes members first: while their group exists, they are not gathered again."""
    names = [name for each in told for name in each.members]
    now_ms = clock.now_ms()
    conditional_writer.surely([cloud_event.told(name, now_ms) for name in names])
    aws.in_parallel(_delete, [item_key(cloud_event.OPEN, name) for name in names])
    aws.in_parallel(_delete, [digest.key(each.name) for each in told])


def _delete(key: Mapping[str, str]) -> None:
    table_reads.delete(cloud_event.TABLE, key)


def _told(place: str, some: Sequence[Gathered], until: float) -> list[Gathered]:
    """Returns what was taken. A destination that fails does not stop the others."""
    if place.startswith("arn:"):
        return list(_by_batch(place, some, until))
    try:
        return list(_by_webhook(place, some, until))
    except (BotoCoreError, ClientError, BadSecret):
        return []


def _by_batch(arn: str, some: Sequence[Gathered], until: float) -> Iterator[Gathered]:
    """Sends in batches. A refused event blocks no other; a busy destination waits a minute."""
    for first in range(0, len(some), destinations.BATCH):
        portion = some[first : first + destinations.BATCH]
        if clock.monotonic() >= until:
            return
        try:
            refused = destinations.send(arn, [each.body for each in portion])
        except aws.FAILURES as failure:
            if aws.passes(failure):
                return
            continue
        yield from (each for place, each in enumerate(portion) if place not in refused)


def _by_webhook(url: str, some: Sequence[Gathered], until: float) -> Iterator[Gathered]:
    """Calls webhooks. One that does not answer is not called again this minute."""
    keys = _signing_keys()
    for each in some:
        if clock.monotonic() >= until:
            return
        seen = _webhook(url, each, keys)
        if isinstance(seen, NoResponse):
            return
        if seen.status // 100 == 2:
            yield each


def _signing_keys() -> list[bytes]:
    ref = destinations.signing_ref()
    return signatures.keys(secrets.reveal(ref)) if ref else []


def _webhook(url: str, told: Gathered, keys: Sequence[bytes]) -> Response | NoResponse:
    """Signs and sends like a target's call, so that one check works for both."""
    text, at, event_id = told.body.encode(), clock.now_ms() // 1000, told.id
    headers = {
        "content-type": "application/cloudevents+json",
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
    }
    if keys:
        headers["webhook-signature"] = signatures.header(
            keys, message_id=event_id, timestamp=at, body=text
        )
    return http_client.send(
        Request(method="POST", url=url, headers=headers, body=text, patience_sec=_WEBHOOK_SEC)
    )
