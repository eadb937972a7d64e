"""Makes the shapes of bodies and answers from the lists of fields in `records`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, Field, create_model

from onthedot.records.shown_objects import Form, Meaning, hints
from onthedot.records.tasks.task_fields import without_null

Shape = TypeVar("Shape", bound=BaseModel)
Kinds = Mapping[str, Any]


def written(fields: type, kinds: Kinds) -> Callable[[type[Shape]], type[Shape]]:
    """Adds fields to the shape of a body. Each may be left out, or be null.

    `kinds` has the types that only the API knows, such as the union of all targets.
    """
    made = {
        name: (_or_null(kinds[name] if name in kinds else _kind_of_body(hint)), None)
        for name, hint in hints(fields).items()
    }
    return lambda shape: _with_fields(shape, made)


def answered(
    fields: type, kinds: Kinds, only: Collection[str] | None = None
) -> Callable[[type[Shape]], type[Shape]]:
    """Adds fields to the shape of an answer. All of them are always there."""
    made = {
        name: (_kind_of_answer(hint, kinds.get(name)), ...)
        for name, hint in hints(fields).items()
        if only is None or name in only
    }
    return lambda shape: _with_fields(shape, made)


def _with_fields(shape: type[Shape], made: dict[str, Any]) -> type[Shape]:
    return create_model(
        shape.__name__,
        __base__=shape,
        __doc__=shape.__doc__,
        __module__=shape.__module__,
        **made,
    )


def _or_null(kind: Any) -> Any:  # noqa: ANN401 any type
    return kind if kind is Any else kind | None


def _kind_of_body(hint: Any) -> Any:  # noqa: ANN401 any type
    """Turns a rule's limits into those of pydantic. Null means the default, for every field."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, rule = get_args(hint)
    limits = dict(rule.limits)
    if form := limits.pop("format", None):
        limits["json_schema_extra"] = {"format": form}
    return Annotated[without_null(kind), Field(**limits)] if limits else kind


def _kind_of_answer(hint: Any, known: Any = None) -> Any:  # noqa: ANN401 any type
    """Leaves out the rules of what may be written. The forms of instants and meanings stay."""
    if get_origin(hint) in _UNIONS:
        return known or reduce(or_, map(_kind_of_answer, get_args(hint)))
    if get_origin(hint) is not Annotated:
        return known or hint
    kind, mark = get_args(hint)
    kind = known or _kind_of_answer(kind)
    if isinstance(mark, Form):
        return Annotated[kind, Field(pattern=mark.pattern)]
    return Annotated[kind, Field(description=mark.text)] if isinstance(mark, Meaning) else kind


_UNIONS = (Union, UnionType)
