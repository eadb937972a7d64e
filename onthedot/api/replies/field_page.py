"""Writes docs/fields.md: every field of schedules and tasks, by shapes, defaults and texts."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from onthedot.api.door import patterns
from onthedot.api.replies import field_texts
from onthedot.api.requests import schedule_shapes

Schema = dict[str, Any]
_TITLES = {
    "when": "When it fires",
    "running": "What a run does",
    "together": "Runs side by side",
    "late": "Late runs",
    "once": "One-off tasks only",
    "about": "About it",
}


def page() -> str:
    schedule, task = _properties(schedule_shapes.ScheduleIn), _properties(schedule_shapes.TaskIn)
    lines = [field_texts.TEXTS["page"]["head"]]
    for section, title in _TITLES.items():
        lines += [f"## {title}", ""]
        for name in field_texts.TEXTS[section]:
            lines += _field(name, schedule, task)
    lines.append(field_texts.TEXTS["page"]["late"])
    for part, shape in _PARTS.items():
        lines += [f"## `{part}`", ""]
        for name, schema in _properties(shape).items():
            defaults = field_texts.default_of(part, "ScheduleIn") or {}
            lines += _told(
                f"{part}.{name}", field_texts.TEXTS[part][name], _form(schema, defaults.get(name))
            )
    lines += ["## Fields that only the system writes", "", "| field | what it says |", "|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in field_texts.TEXTS["shown"].items()]
    return "\n".join([*lines, ""])


_PARTS: dict[str, type[BaseModel]] = {
    "retry": schedule_shapes.Backoff,
    "concurrency_key": schedule_shapes.ConcurrencyKey,
    "rate": schedule_shapes.Rate,
}


def _properties(shape: type[BaseModel]) -> Schema:
    found: Schema = shape.model_json_schema()["properties"]
    return found


def _field(name: str, schedule: Schema, task: Schema) -> list[str]:
    shape = "ScheduleIn" if name in schedule else "TaskIn"
    form = _form(
        (schedule if name in schedule else task)[name], field_texts.default_of(name, shape)
    )
    if name not in task:
        form += " Schedules only."
    if name in ("name", "target"):
        form += " Required."
    return _told(name, field_texts.told(name), form)


def _told(name: str, said: Schema, form: str) -> list[str]:
    lines = [f"### `{name}`", "", form, "", said["text"], ""]
    if "effect" in said:
        lines += [f"In effect: {said['effect']}", ""]
    return [*lines, "```json", json.dumps(said["example"], ensure_ascii=False), "```", ""]


def _form(schema: Schema, default: object) -> str:
    """Writes type, limits and default in one line."""
    said = _kind(_present(schema))
    shown = default if default not in (None, {}, [], "") else None
    if isinstance(shown, dict):
        return f"{said}."
    return f"{said}, default {_code(shown)}." if shown is not None else f"{said}."


def _present(schema: Schema) -> Schema:
    """Leaves out that null stands for the default."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    return kinds[0] if len(kinds) == 1 else schema


def _kind(schema: Schema) -> str:
    if "enum" in schema:
        *some, last = map(_code, schema["enum"])
        return f"{', '.join(some)} or {last}"
    match schema.get("type"):
        case "integer":
            return f"A whole number from {schema['minimum']:,} to {schema['maximum']:,}"
        case "string":
            return _text(schema)
        case "array":
            return f"A list of up to {schema['maxItems']} texts"
        case "object":
            sizes = (
                schema["propertyNames"]["maxLength"],
                schema["additionalProperties"]["maxLength"],
            )
            names = f"names of up to {sizes[0]} characters, texts of up to {sizes[1]}"
            return f"An object of up to {schema['maxProperties']} {names}"
    return "An object" if "$ref" in schema or "oneOf" in schema else "Any JSON"


def _text(schema: Schema) -> str:
    if schema.get("format") == "date-time":
        return "An instant, such as `2027-01-01T00:00:00Z`"
    if "pattern" in schema:
        return f"A text: {patterns.SAID[schema['pattern']]}"
    return f"A text of up to {schema['maxLength']:,} characters"


def _code(value: object) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"
