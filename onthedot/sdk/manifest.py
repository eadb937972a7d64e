"""Lists the handlers of `jobs/` and what they declare. A broken one raises here."""

from __future__ import annotations

from typing import Any

from onthedot.targets.python import job_handlers


def manifest(package: str = job_handlers.PACKAGE) -> dict[str, Any]:
    """Imports the package and lists its handlers by name, with their declared schedules."""
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
