"""Warns of definitions that are valid but doubtful: policies, payload, handler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from onthedot.records.timings import LATE_SEC
from onthedot.schedule.words.expression_warnings import Warned
from onthedot.targets.http.web_exchange import BODILESS

_NAMES_PAYLOAD = re.compile(r"\{\{\s*payload\b")


def pause_near(failures: int, most: int) -> Warned:
    """Warns that further deaths will pause the schedule."""
    died = "The last run died." if failures == 1 else f"The last {failures} runs died."
    detail = (
        f"{died} After {most} deaths in a row the schedule is paused (pause_after_deaths). "
        "One success starts the count again."
    )
    return Warned("pause_near", detail)


def grace_short(grace_sec: int) -> list[Warned]:
    """Warns of a grace that is shorter than the time after which a slot is late."""
    if grace_sec >= LATE_SEC:
        return []
    detail = (
        f"misfire_grace_sec is {grace_sec} and acts as {LATE_SEC}: a slot is late only "
        f"{LATE_SEC} s after it was due."
    )
    return [Warned("grace_short", detail)]


def payload_unsent(target: Mapping[str, Any], payload: object) -> list[Warned]:
    """Warns of a payload that is not sent, because the request has no body."""
    method = target.get("method", "POST")
    if target.get("type") != "http" or method not in BODILESS or not payload:
        return []
    named = [target["url"], *target.get("headers", {}).values()]
    if any(_NAMES_PAYLOAD.search(text) for text in named):
        return []
    detail = (
        f"{method} sends no body, so the payload is not sent. Name its fields in the url or in a "
        "header, as {{payload.field}}, or use POST."
    )
    return [Warned("payload_unsent", detail)]


def unknown_handler(name: str, near: str | None) -> Warned:
    """Warns of a handler that no deployment has brought yet."""
    meant = f" Did you mean '{near}'?" if near else ""
    detail = f"There is no handler '{name}' in jobs/: runs are dead until there is one.{meant}"
    return Warned("unknown_handler", detail)


def undone(managed_by: str) -> Warned:
    """Warns of a change to a schedule that code declares."""
    detail = (
        f"It is declared in code ({managed_by}): the next deployment undoes this change. "
        "Change it in the code as well, or set managed_by to api."
    )
    return Warned("managed_by_code", detail)
