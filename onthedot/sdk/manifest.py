"""The manifest of `jobs/`: its handlers and what they declare; a broken one raises right here."""

from __future__ import annotations

from typing import Any

from onthedot.targets.python import job_handlers


def manifest(package: str = job_handlers.PACKAGE) -> dict[str, Any]:
    """Import the package and list its handlers by name, each with its declared schedule if any."""
    found = job_handlers.handlers(package)
    return {
        "v": 1,
        "handlers": [
            {
                "handler": name,
                "module": found[name].function.__module__,
                "schedule": dict(found[name].declared) or None,
            }
            for name in sorted(found)
        ],
    }
