"""Turns the validator's errors about a request's shape into our own words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from onthedot.api.door import patterns
from onthedot.api.requests import schedule_shapes, target_shapes
from onthedot.records.problems import Fault, Problem, of_faults

Shape = TypeVar("Shape", bound=BaseModel)
_OBJECT = "{field} is {value}: expected an object, {{…}}."
_SENTENCES = {
    "missing": "{field} is missing: it is required.",
    "string_type": "{field} is {value}: expected text.",
    "int_type": "{field} is {value}: expected a whole number.",
    "bool_type": "{field} is {value}: expected true or false.",
    "dict_type": _OBJECT,
    "list_type": "{field} is {value}: expected a list, […].",
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "greater_than_equal": "{field} is {value}: expected {ge} or more.",
    "less_than_equal": "{field} is {value}: expected {le} or less.",
    "multiple_of": "{field} is {value}: expected a multiple of {multiple_of}.",
    "string_too_long": "{field} has {size} characters: expected {max_length} at most.",
    "string_too_short": "{field} has {size} characters: expected {min_length} or more.",
    "string_pattern_mismatch": "{field} is {value}: expected {form}.",
    "literal_error": "{field} is {value}: expected {expected}.",
    "too_long": "{field} has {size} entries: expected {max_length} at most.",
    "too_short": "{field} has {size} entries: expected {min_length} or more.",
    "int_parsing": "{field} is {value}: expected a whole number.",
    "bool_parsing": "{field} is {value}: expected true or false.",
    "union_tag_invalid": "target.type is '{tag}': expected one of {expected_tags}.",
    "union_tag_not_found": "target.type is missing: expected one such as 'http' or 'python'.",
}
# The validator's mark for the name of a field.
_NAME = "[key]"
# The shapes of the parts of a body.
_PARTS: dict[str, type[BaseModel]] = {
    "retry": schedule_shapes.Backoff,
    "concurrency_key": schedule_shapes.ConcurrencyKey,
    "rate": schedule_shapes.Rate,
    "auth": target_shapes.Secret,
    "sign": target_shapes.Secret,
    **target_shapes.TYPES,
}
# A name is suggested only if it is at least so similar (1 is equal).
_ALIKE = 0.7
# Up to this number of names, all are listed instead of guessing one.
_FEW = 12


def problem(errors: Sequence[Mapping[str, Any]], known: Sequence[str] = ()) -> Problem:
    """Returns all errors as one problem. Unknown fields come first."""
    faults = [fault(error, known) for error in errors]
    unknown = [each for each in faults if each.code == "unknown_field"]
    if unknown:
        return of_faults("unknown_field", unknown)
    if any(_unreadable(error) for error in errors):
        return of_faults("invalid_request", faults)
    targets = all(each.pointer.startswith("/target") for each in faults)
    return of_faults("invalid_target" if targets else "invalid_field", faults)


def _unreadable(error: Mapping[str, Any]) -> bool:
    """Tells whether a parameter, or the body as a whole, is wrong. A conflict of fields is not."""
    where = tuple(error["loc"])
    return where[0] != "body" or (where == ("body",) and error["type"] != "value_error")


def checked(shape: type[Shape], fields: Mapping[str, Any]) -> Shape:
    """Checks fields by a shape, or says what is wrong with them."""
    try:
        return shape.model_validate(fields)
    except ValidationError as mistake:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in mistake.errors()]
        raise problem(errors, names(shape)) from None


def names(shape: type[BaseModel]) -> list[str]:
    """Returns the fields of a body, for suggestions."""
    return [field.alias or name for name, field in shape.model_fields.items()]


def fault(error: Mapping[str, Any], known: Sequence[str] = ()) -> Fault:
    """Puts one error into words."""
    source, *steps = error["loc"]
    path = _path(steps)
    kind = str(error["type"])
    if kind == "extra_forbidden":
        part = _PARTS.get(str(steps[-2])) if len(steps) > 1 else None
        return _unknown(path, names(part) if part else known)
    at_name = bool(steps) and steps[-1] == _NAME
    return Fault(
        pointer=_pointer(path) if source == "body" else f"?{path[-1]}",
        code="missing" if kind == "missing" else "bad_value",
        message=_sentence(error, _called(path, at_name=at_name) if path else f"The {source}"),
        field=next((step for step in reversed(path) if not step.isdigit()), str(source)),
    )


def _sentence(error: Mapping[str, Any], called: str) -> str:
    kind, given = str(error["type"]), error.get("input")
    context = error.get("ctx", {})
    words = {
        **context,
        "field": called,
        "value": _shortly(given),
        "size": len(given) if isinstance(given, str | list | dict) else 0,
        "form": patterns.SAID.get(
            str(context.get("pattern")), f"the form {context.get('pattern')}"
        ),
    }
    said = str(error["msg"]).removeprefix("Value error, ").replace("{", "{{").replace("}", "}}")
    own = said if kind == "value_error" else f"{{field}} is not valid: {said}."
    return _SENTENCES.get(kind, own).format_map(words)


def _path(steps: Sequence[str | int]) -> list[str]:
    """Returns the path in the body. The validator adds the type of a target, and names."""
    path = [str(step) for step in steps if step != _NAME]
    if len(path) > 1 and path[0] == "target" and path[1] in target_shapes.TYPES:
        del path[1]
    return path


def _called(path: Sequence[str], *, at_name: bool) -> str:
    """Writes a path as people do: retry.backoff, tasks[0]."""
    said = path[0]
    for step in path[1 : -1 if at_name else None]:
        said += f"[{step}]" if step.isdigit() else f".{step[:64]}"
    return f"A name in {said}" if at_name else said


def _pointer(path: Sequence[str]) -> str:
    """Writes the path as RFC 6901 does."""
    return "".join(f"/{step[:64].replace('~', '~0').replace('/', '~1')}" for step in path)


def _unknown(path: Sequence[str], known: Sequence[str]) -> Fault:
    field = path[-1][:64]
    near = get_close_matches(field, known, 1, _ALIKE)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    if not near and len(known) <= _FEW:
        hint = f" Its fields are {', '.join(sorted(known))}."
    where = f" of {_called(path[:-1], at_name=False)}" if path[1:] else " here"
    return Fault(
        pointer=_pointer(path),
        code="unknown_field",
        message=f"'{field}' is not a field{where}.{hint}",
        field=field,
        suggestion=near[0] if near else None,
    )


def _shortly(value: object) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 64 else f"{text[:64]}…"  # one line
