"""What is wrong with a request's shape, from the validator's words into ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from onthedot.core.problems import Fault, Problem, of_faults

Shape = TypeVar("Shape", bound=BaseModel)
_SENTENCES = {
    "missing": "{field} is missing: it is required.",
    "string_type": "{field} is not text: expected a string.",
    "int_type": "{field} is no whole number.",
    "bool_type": "{field} is neither true nor false.",
    "dict_type": "{field} is no object: expected {{…}}.",
    "list_type": "{field} is no list: expected […].",
    "model_type": "{field} is no object: expected {{…}}.",
    "model_attributes_type": "{field} is no object: expected {{…}}.",
    "greater_than_equal": "{field} is {value}: expected {ge} or more.",
    "less_than_equal": "{field} is {value}: expected {le} or less.",
    "string_too_long": "{field} is too long: expected {max_length} characters at most.",
    "string_too_short": "{field} is too short: expected {min_length} characters or more.",
    "string_pattern_mismatch": "{field} is {value}: expected the form {pattern}.",
    "literal_error": "{field} is {value}: expected {expected}.",
    "too_long": "{field} has {actual_length} entries: expected {max_length} at most.",
    "too_short": "{field} has {actual_length} entries: expected {min_length} or more.",
    "int_parsing": "{field} is {value}: expected a whole number.",
    "bool_parsing": "{field} is {value}: expected true or false.",
    "union_tag_invalid": "The target's type is not one of {expected_tags}.",
    "union_tag_not_found": "The target has no type: expected one such as 'http' or 'python'.",
    "extra_forbidden": "'{field}' is no field here.",
}


def problem(errors: Sequence[Mapping[str, Any]], known: Sequence[str] = ()) -> Problem:
    """Give all of them as one problem; a field that nobody knows comes first."""
    faults = [fault(error, known) for error in errors]
    unknown = [each for each in faults if each.code == "unknown_field"]
    if unknown:
        return of_faults("unknown_field", unknown)
    if any(_unreadable(error) for error in errors):
        return of_faults("invalid_request", faults)
    targets = all(each.pointer.startswith("/target") for each in faults)
    return of_faults("invalid_target" if targets else "invalid_field", faults)


def _unreadable(error: Mapping[str, Any]) -> bool:
    """A parameter is wrong, or the body as a whole; fields that contradict one another are not."""
    where = tuple(error["loc"])
    return where[0] != "body" or (where == ("body",) and error["type"] != "value_error")


def checked(shape: type[Shape], fields: Mapping[str, Any]) -> Shape:
    """Hold fields against a shape, or say what is wrong with them."""
    try:
        return shape.model_validate(fields)
    except ValidationError as mistake:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in mistake.errors()]
        raise problem(errors, names(shape)) from None


def names(shape: type[BaseModel]) -> list[str]:
    """Name the fields of a body, for suggestions."""
    return list(shape.model_fields)


def fault(error: Mapping[str, Any], known: Sequence[str] = ()) -> Fault:
    """Put one of them into words."""
    source, *path = error["loc"]
    path = [str(step) for step in path]
    field = path[-1] if path else str(source)
    kind = str(error["type"])
    if kind == "extra_forbidden":
        return _unknown(path, field, known)
    words = {**error.get("ctx", {}), "field": field, "value": _shortly(error.get("input"))}
    said = str(error["msg"]).removeprefix("Value error, ").replace("{", "{{").replace("}", "}}")
    own = said if kind == "value_error" else f"{{field}} is not valid: {said}."
    sentence = _SENTENCES.get(kind, own)
    return Fault(
        pointer="".join(f"/{step}" for step in path) if source == "body" else f"?{field}",
        code="missing" if kind == "missing" else "bad_value",
        message=sentence.format_map(words),
        field=field,
    )


def _unknown(path: Sequence[str], field: str, known: Sequence[str]) -> Fault:
    near = get_close_matches(field, known, 1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return Fault(
        pointer="".join(f"/{step[:64]}" for step in path),
        code="unknown_field",
        message=f"'{field[:64]}' is no field here.{hint}",
        field=field[:64],
        suggestion=near[0] if near else None,
    )


def _shortly(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 64 else f"{text[:64]}…"  # a line's worth
