"""Refuses targets with a wrong url or address, with secrets in them, or too slow for a worker."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from ipaddress import (
    ip_address,
)
from typing import Any
from urllib.parse import urlsplit

from onthedot.records import own_resources
from onthedot.records.own_resources import Ours
from onthedot.records.problems import Fault, Problem, of_faults
from onthedot.targets.filled_templates import place_has_template
from onthedot.targets.http.addresses import Network, allowed
from onthedot.targets.http.web_exchange import place_of, reserved

WORKER_SEC_MAX = 840
_OURS = "set by the scheduler: leave it out"
_TOLD = "named like a secret: use auth or sign with a secret_ref"
# Says what is wrong with a pattern, or None.
Mistake = Callable[[str], str | None]
_SECRETS = re.compile(r"authorization|cookie|.*-key|.*-token|.*-secret", re.IGNORECASE)


def check(fields: Mapping[str, Any], networks: Sequence[Network], mistake: Mistake) -> None:
    """Refuses a target that must not be called, or not in this way."""
    target = fields["target"]
    faults = [*_headers(target), *_patience(target, fields.get("timeout_sec", 0))]
    faults += _pattern(target, mistake)
    if faults:
        raise of_faults("invalid_target", faults)
    if target["type"] == "http":
        _check_address(target["url"], networks)


def check_own(target: Mapping[str, Any], known: Ours) -> None:
    """Refuses the scheduler's own resources: a run could send them false messages."""
    field = own_resources.called(target, known)
    if field:
        message = own_resources.sentence(target, field)
        fault = _fault(f"/target/{field}", "target_forbidden", message)
        raise Problem("target_forbidden", message, [fault])


def _headers(target: Mapping[str, Any]) -> list[Fault]:
    """Finds headers that only the scheduler sets, and secrets that every reader would see."""
    faults = []
    for name in target.get("headers", {}):
        wrong = _OURS if reserved(name) else _TOLD if _SECRETS.fullmatch(name) else ""
        if wrong:
            message = f"The header '{name}' is {wrong}."
            faults.append(_fault(f"/target/headers/{name}", "bad_value", message))
    return faults


def _patience(target: Mapping[str, Any], timeout_sec: int) -> list[Fault]:
    """Allows a timeout longer than a worker's only for work that goes on elsewhere."""
    elsewhere = (
        target["type"] == "pull" or target.get("complete") == "callback" or bool(target.get("wait"))
    )
    if elsewhere or timeout_sec <= WORKER_SEC_MAX:
        return []
    message = f"timeout_sec is {timeout_sec}: expected {WORKER_SEC_MAX} or less for this target."
    return [_fault("/timeout_sec", "out_of_range", message)]


def _pattern(target: Mapping[str, Any], mistake: Mistake) -> list[Fault]:
    """Finds mistakes in a pattern. RE2's syntax leaves out what could take forever."""
    wrong = mistake(target["expect_body"]) if "expect_body" in target else None
    if wrong is None:
        return []
    message = f"expect_body is not a valid RE2 pattern: {wrong}."
    return [_fault("/target/expect_body", "bad_value", message)]


def _check_address(url: str, networks: Sequence[Network]) -> None:
    """Checks what is known before the call. A name is resolved only when it is called."""
    if place_has_template(url):
        raise _no_address(
            "A template in a url may stand in its path or query: scheme, host and port are fixed."
        )
    place = place_of(url)
    if place is None:
        raise _no_address(f"'{url[:100]}' is not an address that can be called.")
    if "@" in urlsplit(url).netloc:
        raise _no_address("A url must not hold a name or password: use auth with a secret_ref.")
    try:
        ip_address(place[1])
    except ValueError:
        return
    if not allowed(place[1], networks):
        message = f"{place[1]} is not a public address: expected one, or a host name."
        fault = _fault("/target/url", "target_forbidden", message)
        raise Problem("target_forbidden", message, [fault])


def _no_address(message: str) -> Problem:
    return of_faults("invalid_target", [_fault("/target/url", "bad_value", message)])


def _fault(pointer: str, code: str, message: str) -> Fault:
    return Fault(pointer=pointer, code=code, message=message, field=pointer.rsplit("/", 1)[-1])
