"""Handlers in this process, by the name that `jobs/` gives them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module

from onthedot.core.call import Call
from onthedot.core.policy import Again, Answer, Dead, Done, Stopped, error_of

Handler = Callable[[Call], object]


class Fail(Exception):  # noqa: N818 a handler says it, as a verb
    """Raised by a handler: this will never work."""


class Cancelled(Exception):  # noqa: N818 a handler says it of itself
    """Raised by a handler that honours a request to cancel."""


def call(asked: Call) -> Answer:
    """Call the handler; whatever it raises becomes an outcome here and nowhere else."""
    handler = _handler(asked.target["handler"])
    if handler is None:
        message = f"no handler {asked.target['handler']!r} in jobs"
        return Dead("handler_not_found", error_of("HandlerNotFound", message))
    try:
        return Done(handler(asked))
    except Cancelled:
        return Stopped()
    except Fail as failure:
        return Dead("permanent", error_of("Fail", str(failure)))
    except Exception as failure:  # noqa: BLE001 the one place where anything becomes an outcome
        kind = type(failure).__name__
        return Again("failed", error_of(kind, str(failure), traceback.format_exc()))


def _handler(name: str) -> Handler | None:
    found: Handler | None = getattr(import_module("jobs"), "HANDLERS", {}).get(name)
    return found
