"""Checks what a caller demands of the version that a write replaces."""

from __future__ import annotations

import json
from typing import Any

from onthedot.api.door.request import asked
from onthedot.api.door.responses import etag, names
from onthedot.records.problems import Fault, Problem, of_faults
from onthedot.records.tasks.task_spec import Task


def check_version(version: int) -> None:
    """Refuses a write whose If-Match does not name this version."""
    headers = asked().headers
    if "if-match" in headers and not names(headers, "if-match", etag(version)):
        message = f"It has version {version} now: read it again, then change it."
        raise Problem("version_mismatch", message, headers={"ETag": etag(version)})


def check_task(task: Task) -> None:
    """Refuses to change a task that the caller has not read in its present version."""
    check_version(task.version)


def check_none_wanted(what: str) -> None:
    """Refuses to create what the caller meant to replace: it was ended since."""
    if "if-match" in asked().headers:
        message = f"There is no {what} to replace: leave If-Match out to make one."
        raise Problem("version_mismatch", message)


def require_version() -> None:
    """Refuses to replace a whole object without If-Match: the caller may never have seen it."""
    if "if-match" not in asked().headers:
        message = 'It exists already: expected the header If-Match: "<version>", or * for any.'
        raise Problem("version_required", message)


def check_new() -> bool:
    """Tells whether the caller only wants to create."""
    return "*" in asked().headers.get("if-none-match", "")


def check_read_only(given: dict[str, Any], present: dict[str, Any]) -> None:
    """Accepts a read-only field that has its present value. Any other value is refused."""
    faults = [
        Fault(
            pointer=f"/{name}",
            code="read_only_field",
            message=_kept(name, present),
            field=name,
        )
        for name, value in given.items()
        if value is not None and present.get(name) != value
    ]
    if faults:
        raise of_faults("read_only_field", faults)


def _kept(name: str, present: dict[str, Any]) -> str:
    if name not in present:
        return f"{name} is read-only: leave it out, the system sets it."
    stands = json.dumps(present[name], ensure_ascii=False)
    by_other = " Pause or resume it to change that." if name == "status" else ""
    return f"{name} is read-only: leave it out, or send its present value, {stands[:64]}.{by_other}"
