"""Puts the texts about each field of a schedule and a task into the schemas of the document.

Shapes give names, types and limits, the registry gives defaults. fields.toml has texts only.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from onthedot.records.tasks.task_fields import COMMON, SCHEDULE

Schema = dict[str, Any]
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
TEXTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("fields.toml").read_text(encoding="utf-8")
)
# The tables of texts for a schedule and a task, in the order in which they are shown.
SECTIONS = ("when", "running", "together", "late", "once", "about")
_TASK_ONLY = {"idempotency_ttl_sec": 86_400}
_WRITTEN = {
    "ScheduleIn": SCHEDULE,
    "ScheduleFields": SCHEDULE,
    # A patch has no defaults: a field that is left out does not change.
    "SchedulePatch": {},
    "TaskIn": COMMON | _TASK_ONLY,
}
_ANSWERED = ("Schedule", "ScheduleEntry", "Task", "TaskEntry")
_PARTS_OF = {
    "Backoff": ("retry", COMMON["retry"]),
    "BackoffTold": ("retry", {}),
    "ConcurrencyKey": ("concurrency_key", {}),
    "Rate": ("rate", {}),
}


def told(name: str) -> dict[str, Any]:
    """Returns the texts about a field of a schedule or a task."""
    found: dict[str, Any] = next(
        TEXTS[section][name] for section in SECTIONS if name in TEXTS[section]
    )
    return found


def default_of(name: str, shape: str) -> Any:  # noqa: ANN401 any JSON
    """Returns a field's default. A field without one, or with null, has none."""
    return _WRITTEN[shape].get(name)


def describe(schemas: Schema) -> None:
    """Puts description, default and example into the schemas of bodies and answers."""
    for shape in _WRITTEN:
        for name, field in schemas[shape]["properties"].items():
            _tell(field, told(name), name, default_of(name, shape))
    for shape, (part, defaults) in _PARTS_OF.items():
        for name, field in schemas.get(shape, {}).get("properties", {}).items():
            _tell(field, TEXTS[part][name], name, defaults.get(name))
    for shape in _ANSWERED:
        for name, field in schemas[shape]["properties"].items():
            text = TEXTS["shown"].get(name) or told(name)["text"]
            field["description"] = _plain(text)


def _tell(field: Schema, said: dict[str, Any], name: str, default: object) -> None:
    field["description"] = _plain(" ".join([said["text"], said.get("effect", "")]).strip())
    field["examples"] = [_at(said["example"], name)]
    if default not in (None, {}, [], ""):
        field["default"] = default


def _plain(text: str) -> str:
    """Removes the targets of links: the document has no pages beside it."""
    return _LINK.sub(r"\1", text)


def _at(example: Schema, name: str) -> Any:  # noqa: ANN401 any JSON
    """Finds the field's own value in its example: retry.base_sec is inside retry."""
    if name in example:
        return example[name]
    return next(
        _at(inner, name)
        for inner in example.values()
        if isinstance(inner, dict) and _holds(inner, name)
    )


def _holds(example: Schema, name: str) -> bool:
    inner = (each for each in example.values() if isinstance(each, dict))
    return name in example or any(_holds(each, name) for each in inner)
