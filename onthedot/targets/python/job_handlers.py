"""Finds the handlers of `jobs/`. It imports the package and all its modules once."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from onthedot.targets.python.handler import Handler, HandlerError

PACKAGE = "jobs"


@cache
def handlers(package: str = PACKAGE) -> Mapping[str, Handler[..., Any]]:
    """Returns all handlers of a package or module by name. Two with one name are an error."""
    found: dict[str, Handler[..., Any]] = {}
    for module in _modules(package):
        for value in vars(module).values():
            if isinstance(value, Handler) and found.setdefault(value.name, value) is not value:
                raise HandlerError(
                    f"two handlers are called '{value.name}', one of them in {module.__name__}: "
                    "a task finds its handler by that name, so each needs its own."
                )
    return found


def _modules(package: str) -> Iterator[ModuleType]:
    top = import_module(package)
    yield top
    for each in walk_packages(getattr(top, "__path__", ()), f"{package}.", onerror=_as_it_is):
        yield import_module(each.name)


def _as_it_is(_name: str) -> None:
    """Raises the error again: a package that cannot be imported is not one without handlers."""
    error = sys.exc_info()[1]
    if error is not None:
        raise error
