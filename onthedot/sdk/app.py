"""Defines `app = OnTheDot()` and `@app.job(…)`: functions that tasks call, with schedules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from onthedot.sdk.declaration import checked
from onthedot.targets.python.handler import Handler, HandlerError

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class When:
    """The part of a schedule that says when it fires."""

    fields: dict[str, Any]


def cron(expression: str, **fields: Any) -> When:  # noqa: ANN401 any field of when
    """Fires by a cron expression. `timezone`, `seconds`, `dst_*`, bounds, jitter may be given."""
    return When({"cron": expression, **fields})


def every(sec: int, **fields: Any) -> When:  # noqa: ANN401 any field of when
    """Fires every `sec` seconds, counted from the Unix epoch and not from the deploy."""
    return When({"every_sec": sec, **fields})


@dataclass(frozen=True, slots=True)
class OnTheDot:
    """The jobs of one application. Its schedules are managed by `code:<name>`."""

    name: str = "jobs"
    # Fields that every job has unless it declares others.
    defaults: dict[str, Any] = field(default_factory=dict)

    def job(
        self, when: When | None = None, *, name: str | None = None, **fields: object
    ) -> Callable[[Callable[P, R]], Handler[P, R]]:
        """Makes a function a handler. With `when`, the deploy registers its schedule.

        The other arguments are the schedule's fields, with the API's names.
        """
        if not isinstance(when, When | None):
            raise HandlerError(
                f"@app.job was given {when!r}: expected @app.job(), or cron(…) or every(…) in it."
            )

        def made(function: Callable[P, R]) -> Handler[P, R]:
            called = name or str(getattr(function, "__name__", ""))
            declared = self._declared(called, when, fields)
            return Handler(name=called, function=function, declared=checked(declared))

        return made

    def _declared(
        self, called: str, when: When | None, fields: dict[str, object]
    ) -> dict[str, object]:
        if when is None:
            if fields:
                raise HandlerError(
                    f"{called}: {', '.join(sorted(fields))} is of a schedule, and there is none: "
                    "give cron(…) or every(…) first, or set it on the task that calls this."
                )
            return {}
        ours = {
            "target": {"type": "python", "handler": called},
            "managed_by": f"code:{self.name}",
        }
        return {"name": called} | self.defaults | when.fields | fields | ours
