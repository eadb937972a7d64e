"""Carries a request out once if it comes twice under one Idempotency-Key, or for one plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onthedot.api.door.request import Asked, Repeatable
from onthedot.records.access import idempotency
from onthedot.records.access.idempotency import LENGTH_MAX, Once
from onthedot.records.problems import Problem
from onthedot.store import clock
from onthedot.store.access import access_table

Answered = dict[str, Any]
HEADER = "idempotency-key"
_SERVER_FAULT = 500
_TOO_MANY = 429


def once(asked: Asked, answer: Callable[[], Answered]) -> Answered:
    """Returns the answer, or the answer that the same request got before.

    A plan is one request of its tenant, so it is guarded inside. The ids that it makes follow from
    the plan: neither another API key nor another Idempotency-Key can carry it out twice.
    """
    if asked.route is None or not asked.route.once:
        return answer()
    key, plan = _key(asked), _plan(asked)
    planned = answer if plan is None else lambda: _guarded(asked, plan, answer)
    return planned() if key is None else _guarded(asked, key, planned)


def _guarded(asked: Asked, scope: Sequence[str], answer: Callable[[], Answered]) -> Answered:
    """Carries out what this scope names, unless that was done before."""
    now_ms = clock.now_ms()
    mine = _once(asked, scope, now_ms)
    before = access_table.begin(mine, now_ms)
    if before is None:
        begun = Repeatable(now_ms, mine.digest)
    elif idempotency.abandoned(before, mine, now_ms) and access_table.take_over(mine, before):
        begun = Repeatable(before["begun_ms"], mine.digest, again=True)
    else:
        return _again(before, mine)
    asked.once = begun
    finished = False
    try:
        answered = answer()
        finished = answered["statusCode"] < _SERVER_FAULT and answered["statusCode"] != _TOO_MANY
        if finished:
            access_table.finish(mine, idempotency.packed(answered))
        return answered
    finally:
        if not finished:
            # What it has begun keeps its ids. Another try continues with them at once.
            access_table.abandon(mine, begun.begun_ms)


def _key(asked: Asked) -> Sequence[str] | None:
    """Returns the caller's own key for this request."""
    if HEADER not in asked.headers:
        return None
    key = asked.headers[HEADER].strip().strip('"')
    if 0 < len(key) <= LENGTH_MAX:
        return asked.by.key_id, asked.method, asked.path, key
    message = f"The Idempotency-Key has {len(key)} characters: expected 1 to {LENGTH_MAX}."
    raise Problem("invalid_request", message)


def _plan(asked: Asked) -> Sequence[str] | None:
    """Returns the plan that is to be carried out."""
    if "plan_token" not in asked.query or asked.query.get("dry_run") == "true":
        return None
    # With another body it is another request, and the plan does not match.
    return "plan", asked.method, asked.path, asked.query["plan_token"], asked.body


def _once(asked: Asked, scope: Sequence[str], now_ms: int) -> Once:
    query = sorted(asked.query.items())
    return idempotency.once((asked.by.tenant_id, *scope), f"{query}{asked.body}", now_ms)


def _again(before: dict[str, Any], mine: Once) -> Answered:
    if before.get("body_hash", mine.body_hash) != mine.body_hash:
        message = "This Idempotency-Key was used for another request: use a new one."
        raise Problem("idempotency_key_reused", message)
    if before.get("state") != "done":
        message = "The same request is under way: try again in a moment."
        headers = {"Retry-After": "1"}
        raise Problem("idempotency_in_progress", message, headers=headers)
    answered = idempotency.unpacked(before["answer"])
    answered["headers"]["Idempotent-Replayed"] = "true"
    return answered
