"""On the Dot: a serverless, leader-free scheduler for AWS.

It offers the names that handlers and programs import. Each is loaded at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onthedot.client.client import Client as Client
    from onthedot.client.errors import ApiError as ApiError
    from onthedot.sdk.app import OnTheDot as OnTheDot
    from onthedot.sdk.app import cron as cron
    from onthedot.sdk.app import every as every
    from onthedot.targets.python.context import Context as Context
    from onthedot.targets.python.signals import Cancelled as Cancelled
    from onthedot.targets.python.signals import Fail as Fail
    from onthedot.targets.python.signals import LeaseLost as LeaseLost
    from onthedot.targets.python.signals import RetryLater as RetryLater
    from onthedot.targets.python.signals import Skip as Skip
    from onthedot.targets.python.signals import TimedOut as TimedOut

_HOME = {
    "ApiError": "onthedot.client.errors",
    "Cancelled": "onthedot.targets.python.signals",
    "Client": "onthedot.client.client",
    "Context": "onthedot.targets.python.context",
    "Fail": "onthedot.targets.python.signals",
    "LeaseLost": "onthedot.targets.python.signals",
    "OnTheDot": "onthedot.sdk.app",
    "RetryLater": "onthedot.targets.python.signals",
    "Skip": "onthedot.targets.python.signals",
    "TimedOut": "onthedot.targets.python.signals",
    "cron": "onthedot.sdk.app",
    "every": "onthedot.sdk.app",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever the table names
    """Loads a name's module at its first use: dispatch needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module 'onthedot' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)
