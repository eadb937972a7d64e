"""Planted faults of edits: what was due before or after one is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import edit, lifecycle
from onthedot.registry.unclaimed_slots import close_the_books

Patch = tuple[Any, str, Any]
_DROPPED_SEC = 150


def no_books_of_pauses() -> list[Patch]:
    """A pause that ends leaves nothing behind of what was due in it."""

    def closed(known: Known, now: int) -> None:
        if known.task.status != "paused":
            close_the_books(known, now)

    return [(edit, "close_the_books", closed)]


def from_later() -> list[Patch]:
    """What is due within some minutes after an edit is nobody's."""

    def restarted(task: Task, now: int) -> Task:
        since = now + _DROPPED_SEC
        return replace(task, schedule_version=task.schedule_version + 1, effective_from=since)

    return [(lifecycle, "restarted", restarted)]
