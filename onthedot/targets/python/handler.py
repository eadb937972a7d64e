"""Defines a handler: a function, the name that tasks use, and the schedule declared with it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeVar

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_CONTEXT = "ctx"

P = ParamSpec("P")
R = TypeVar("R")


class HandlerError(ValueError):
    """A handler or its declaration is not valid. The sentence says why."""


class PayloadMismatch(Exception):  # noqa: N818 it says what it is
    """The payload does not fit the handler's parameters."""


@dataclass(frozen=True, kw_only=True)
class Handler(Generic[P, R]):
    """What `@app.job` makes of a function. It can still be called as that function."""

    name: str
    function: Callable[P, R]
    # Fields of a schedule, as the API takes them. Empty if only triggers and tasks call it.
    declared: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuses a handler that no task could call, or whose call would do nothing."""
        if not _NAME.fullmatch(self.name) or self.name.startswith(("sch_", "tsk_")):
            raise HandlerError(
                f"'{self.name}' is no name for a handler: expected letters, digits, '.', '_' and "
                "'-', 200 at most, and not beginning with sch_ or tsk_."
            )
        if isinstance(self.function, Handler):
            raise HandlerError(
                f"{self.name}: this function is the handler '{self.function.name}' already; "
                "a second schedule calls it by that name."
            )
        if inspect.isgeneratorfunction(self.function) or inspect.isasyncgenfunction(self.function):
            raise HandlerError(
                f"{self.name} yields: a call of it would do nothing. "
                "Expected a function that does its work and returns."
            )
        # functools.update_wrapper needs a mutable object.
        object.__setattr__(self, "__doc__", self.function.__doc__)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the function as it was written, as a test would."""
        return self.function(*args, **kwargs)


def arguments(handler: Handler[..., Any], context: object, payload: Any) -> dict[str, Any]:
    """Returns `ctx` if the handler wants it, and the payload's fields as its other parameters.

    A handler without other parameters finds the payload in its context.
    """
    parameters = inspect.signature(handler.function).parameters
    given = {_CONTEXT: context} if _CONTEXT in parameters else {}
    if set(parameters) <= {_CONTEXT}:
        return given
    if not isinstance(payload, Mapping):
        raise PayloadMismatch(f"the payload is no object, and {handler.name} has parameters")
    if _CONTEXT in payload and given:
        raise PayloadMismatch("the payload has a field 'ctx', which is the context's own name")
    try:
        inspect.signature(handler.function).bind(**given, **payload)
    except TypeError as mismatch:
        raise PayloadMismatch(f"the payload does not fit {handler.name}: {mismatch}") from None
    return given | dict(payload)
