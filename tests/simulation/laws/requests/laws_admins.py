"""Laws of admin keys: the operator always has one that opens; a new one is made where none does."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.access import api_key
from onthedot.records.access.api_key import Key
from onthedot.records.attributes import plain_item
from onthedot.registry.api_keys import FIRST_TENANT
from tests.simulation.machine.journal import pairs, writers_of
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

_LAST = "last_admin_key"
_FIRST = "first"
# Its name, and when it was there and opened, in true time.
_Span = tuple[str, float, float]


def obeyed(stage: Stage) -> Iterator[str]:
    """Checks all of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.name == "revoke"]
    if not asks:
        return
    spans, made, revoked = _read(stage)
    yield from _never_without(spans, revoked)
    yield from _refused(asks, spans)
    yield from _made(stage, spans, made)
    yield from _revoked(asks, spans)


def _read(stage: Stage) -> tuple[dict[str, _Span], dict[str, str], set[str]]:
    """Returns from when to when each admin key opened, which process made it, and which were
    revoked.
    """
    world = stage.world
    writers = writers_of(world)
    spans: dict[str, _Span] = {}
    made: dict[str, str] = {}
    revoked: set[str] = set()
    for at_us, (pk, _), before, after in pairs(world, "access"):
        if not pk.startswith("key#") or after is None:
            continue
        key: Key = api_key.parse(plain_item(after))
        if key.tenant_id != FIRST_TENANT or key.role != "admin":
            continue
        at_ms = at_us / 1000
        if before is None:
            spans[key.key_id] = key.name, at_ms, float(key.expires_ms or "inf")
            writer = writers.get(at_us)
            made[key.key_id] = writer.name if writer is not None else ""
        elif key.revoked_ms and key.key_id not in revoked:
            revoked.add(key.key_id)
            spans[key.key_id] = key.name, spans[key.key_id][1], at_ms
    return spans, made, revoked


def _never_without(spans: dict[str, _Span], revoked: set[str]) -> Iterator[str]:
    """Checks that whenever one is revoked, another one opens."""
    for key_id, (_, _, until) in spans.items():
        left = [one for one, (_, since, end) in spans.items() if since < until < end]
        if key_id in revoked and not left:
            yield f"locked out: {key_id} was the last admin key, and was revoked"


def _refused(asks: list[Ask], spans: dict[str, _Span]) -> Iterator[str]:
    """Who may not revoke one has the last one that opens, at some moment of the request."""
    for ask in asks:
        if ask.answer is None or ask.answer.code != _LAST:
            continue
        key_id, began_ms, at_ms = _named(ask), ask.began_ms, ask.answer.at_ms
        others = [
            one
            for one, (_, since, until) in spans.items()
            if one != key_id and since < began_ms and until > at_ms
        ]
        if others:
            yield f"refused in vain: {key_id} was not the last one, there is {others[0]}"


def _made(stage: Stage, spans: dict[str, _Span], made: dict[str, str]) -> Iterator[str]:
    """Checks that a deployment makes one only where none opened while it looked."""
    begun: dict[str, float] = {}
    start = stage.world.start.timestamp()
    for at_us, process, *_ in stage.world.trace:
        if process is not None and process.kind == "deploy":
            begun.setdefault(process.name, (start + at_us / 1_000_000) * 1000)
    for key_id, (name, since, _) in spans.items():
        if name != _FIRST or made[key_id] not in begun:
            continue
        looked_ms = begun[made[key_id]]
        if any(one < looked_ms and until > since for _, one, until in spans.values()):
            yield f"made in vain: {key_id}, though another admin key opened"


def _revoked(asks: list[Ask], spans: dict[str, _Span]) -> Iterator[str]:
    """Checks that a revocation that was answered is written."""
    for ask in asks:
        span = spans.get(_named(ask))
        if ask.done and span is not None and span[2] > ask.acked_ms:
            yield f"undone: {_named(ask)} was told to be revoked"


def _named(ask: Ask) -> str:
    return ask.route.rpartition("/")[2]
