"""Laws of webhooks: each request can be checked by its receiver, and none holds the others up."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.upkeep.events import notifications
from onthedot.upkeep.events.cloud_event import OPEN
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Journal, pairs
from tests.simulation.outside.hook import KEY, URL, Hook, Post
from tests.simulation.stage import Stage

# What a minute gives to events, and to the last of them.
_TELLING_MS, _ANSWERED_MS = 20_000, 11_000
_SECOND = 1
# A minute that takes less tells all events; and the time to read the open ones.
_HASTY_MS, _READ_MS = 8_000, 3_000


def obeyed(stage: Stage, _: Journal) -> Iterator[str]:
    """Checks each law of them."""
    hook = stage.hook
    if hook is None:
        return
    for post in hook.posts:
        yield from _checked(stage, post)
    by_minute: dict[str, list[Post]] = defaultdict(list)
    for post in hook.posts:
        by_minute[post.process].append(post)
    for posts in by_minute.values():
        yield from _brief(posts)
    yield from _few(stage, by_minute)
    if stage.auditor.calm:
        yield from _counted(stage, hook)
        # A slow webhook uses up all the time for telling.
        if "slow" not in hook.when:
            yield from _whole(stage, by_minute)


def _checked(stage: Stage, post: Post) -> Iterator[str]:
    """Checks that it is signed by the secret, names its event and says when it was sent."""
    headers, body = post.request.headers, post.request.body or b""
    if post.request.method != "POST" or post.request.url != URL:
        yield f"sent astray: {post.request.method} {post.request.url}"
    if headers["content-type"] != "application/cloudevents+json":
        yield f"of no kind: {headers['content-type']}"
    if headers["webhook-id"] != json.loads(body)["id"]:
        yield f"misnamed: {headers['webhook-id']}"
    off_sec = post.at_ms / 1000 - int(headers["webhook-timestamp"])
    if not -_SECOND <= off_sec - clocks_off_sec(stage) <= 2 * _SECOND + 2 * clocks_off_sec(stage):
        yield f"misdated: {headers['webhook-id']} by {off_sec:.0f} s"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    made = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    if headers.get("webhook-signature") != f"v1,{made}":
        yield f"unsigned: {headers['webhook-id']}"


def _brief(posts: list[Post]) -> Iterator[str]:
    """Checks that who does not answer is asked no more in that minute, and who is slow only for a
    while.
    """
    silent = [place for place, post in enumerate(posts) if not post.status]
    if silent and silent[0] < len(posts) - 1:
        yield f"asked on: {posts[0].process} after no answer"
    if posts[-1].at_ms - posts[0].at_ms > _TELLING_MS:
        yield f"told on: {posts[0].process} after {posts[-1].at_ms - posts[0].at_ms:.0f} ms"


def _few(stage: Stage, by_minute: dict[str, list[Post]]) -> Iterator[str]:
    """Checks that no minute tells one place more events than it may."""
    most = stage.auditor.tells_max or notifications.AT_ONCE
    sent = {process: len(posts) for process, posts in by_minute.items()}
    for process, count in sent.items():
        if count > most:
            yield f"too many: {process} told a webhook of {count} events, {most} may be"
    put: dict[str, int] = defaultdict(int)
    for _, who, operation, request, *_ in stage.world.trace:
        if operation == "put_events" and who is not None:
            put[who.name] += len(request["Entries"])
    for name, count in put.items():
        if count > most:
            yield f"too many: {name} told a bus of {count} events, {most} may be"


def _whole(stage: Stage, by_minute: Mapping[str, list[Post]]) -> Iterator[str]:
    """Checks that a minute without refusals that told less than it may has left no event untold."""
    most = stage.auditor.tells_max or notifications.AT_ONCE
    spans = _open(stage)
    for name, posts in by_minute.items():
        first_ms, last_ms = posts[0].at_ms, posts[-1].at_ms
        refused = any(post.status // 100 != 2 for post in posts)
        if refused or len(posts) >= most or last_ms - first_ms > _HASTY_MS:
            continue
        left = sum(
            since < first_ms - _READ_MS and until > last_ms + _READ_MS for since, until in spans
        )
        if left:
            yield f"left untold: {left} events by {name}, which told a webhook of {len(posts)}"


def _open(stage: Stage) -> list[tuple[float, float]]:
    """Gives from when to when each event for the webhook was open."""
    since: dict[Any, float] = {}
    spans = []
    for at_us, key, _, after in pairs(stage.world, "runs"):
        if key[0] != OPEN:
            continue
        if after is None and key in since:
            spans.append((since.pop(key), at_us / 1000))
        elif after is not None and after["to"]["S"] == URL:
            since.setdefault(key, at_us / 1000)
    return [*spans, *((at_ms, float("inf")) for at_ms in since.values())]


def _counted(stage: Stage, hook: Hook) -> Iterator[str]:
    """Checks that what was told is counted, and so is that something was refused."""
    taken = sorted(each.at_ms for each in (*stage.world.bus.told, *hook.taken))
    refused = [post.at_ms for post in hook.posts if post.status // 100 != 2]
    before_ms, told = 0.0, 0
    for at_ms, figures in stage.figures:
        if "events_told" not in figures:
            continue
        told += int(figures["events_told"])
        known = sum(each <= at_ms for each in taken)
        if told != known:
            yield f"miscounted: {told} events were told by {at_ms:.0f}, {known} were taken"
            return
        some = sum(before_ms < each <= at_ms for each in refused)
        if figures["events_refused"] < some:
            yield f"miscounted: {figures['events_refused']} events were refused, not {some}"
        before_ms = at_ms
