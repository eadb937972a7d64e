"""Decides what a tenant's runs may call besides http addresses and pull queues, by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

# The AWS services that a run may call or read.
SERVICES = frozenset({"sqs", "sns", "lambda", "events", "states", "secretsmanager", "ssm"})
# Together with the tenant's limit they fit into one item of 4 kB: reading it costs one unit.
MOST, LETTERS_MAX = 100, 3_000
_PARTS = 6
_ANY = "*"
_PYTHON = "python:"
_SSM = "ssm:"
# SSM returns secrets of Secrets Manager under this path.
_BY_SSM = "/aws/reference/secretsmanager/"
_PYTHON_FORM = re.compile(r"python:[A-Za-z0-9_.*-]{1,200}")
_ARN_FORM = re.compile(r"[!-~]{1,300}")
# Today sqs.eu-west-1.amazonaws.com, in old addresses eu-west-1.queue.amazonaws.com.
_QUEUE_HOST = re.compile(r"(?:.*\.)?(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com.*")
_QUEUE_PATH = re.compile(r"/(?:([0-9]+)/)?([A-Za-z0-9_-]{1,80}(?:\.fifo)?)/?")


@dataclass(frozen=True, slots=True)
class Home:
    """The region and account of the system. A name without them means these."""

    region: str
    account: str

    def arn(self, service: str, resource: str, *, region: str = "", account: str = "") -> str:
        """Writes an ARN. Region and account are our own by default."""
        region = region or self.region
        partition = "aws-cn" if region.startswith("cn-") else "aws"
        partition = "aws-us-gov" if region.startswith("us-gov-") else partition
        return f"arn:{partition}:{service}:{region}:{account or self.account}:{resource}"


def beyond(target: Mapping[str, Any], patterns: Sequence[str], home: Home) -> str | None:
    """Returns the first thing that a target calls or reads and no pattern covers."""
    for thing in reached(target, home):
        if not any(_covers(pattern, thing) for pattern in patterns):
            return thing
    return None


def sentence(tenant_id: str, thing: str) -> str:
    """Says what is forbidden, for which tenant, and what to do."""
    return (
        f"The tenant '{tenant_id}' may not use {thing}: expected a target of its own. An operator "
        f"allows it by PUT /v1/tenants/{tenant_id} with this name, or a pattern, in targets."
    )


def reached(target: Mapping[str, Any], home: Home) -> list[str]:
    """Returns everything that a target calls or reads, in the form that patterns use."""
    match target.get("type"):
        case "python":
            return [f"{_PYTHON}{target['handler']}"]
        case "http":
            uses = [target[use] for use in ("auth", "sign") if target.get(use)]
            return [_secret(use["secret_ref"], home) for use in uses]
        case "sqs":
            return [_queue(target["queue_url"], home)]
        case "sns":
            return [target["topic_arn"]]
        case "lambda":
            return [target["function_arn"]]
        case "eventbridge":
            bus = target["bus"]
            return [bus if bus.startswith("arn:") else home.arn("events", f"event-bus/{bus}")]
        case "stepfunctions":
            return [target["state_machine_arn"]]
    return []


def at_registration(item: Mapping[str, Any] | None) -> Sequence[str] | None:
    """Returns the patterns for new definitions. None: nothing is set for the tenant."""
    return item.get("targets") if item else None


def at_call(item: Mapping[str, Any] | None) -> Sequence[str] | None:
    """Returns the patterns for calls. None: nothing is set, or an upgrade still collects them."""
    return None if item and "looking" in item else at_registration(item)


def mistake(pattern: str) -> str | None:
    """Says what is wrong with a pattern."""
    if pattern.startswith(_PYTHON):
        fine = _PYTHON_FORM.fullmatch(pattern)
        return None if fine else "expected python: and a handler's name, '*' allowed in it"
    parts = pattern.split(":", _PARTS - 1)
    if len(parts) == _PARTS and parts[0] == "arn" and parts[2] in SERVICES:
        fine = _ARN_FORM.fullmatch(pattern)
        return None if fine else "expected up to 300 characters of ASCII without blanks"
    known = ", ".join(sorted(SERVICES))
    return f"expected python:name, or an ARN of {known}, '*' allowed in both"


def patterns_for(things: Iterable[str]) -> list[str]:
    """Returns patterns for all these things: their names, or whole kinds if they are too many.

    A text that names nothing that can be called gets none.
    """
    known = [thing for thing in set(things) if mistake(_kind_of(thing)) is None]
    exact = sorted(thing for thing in known if mistake(thing) is None)
    if len(exact) == len(known) and fits(exact):
        return exact
    return sorted({_kind_of(thing) for thing in known})


def fits(patterns: Sequence[str]) -> bool:
    """Tells whether these patterns are few and short enough to be kept."""
    return len(patterns) <= MOST and sum(map(len, patterns)) + len(patterns) <= LETTERS_MAX


def _kind_of(thing: str) -> str:
    """Returns the pattern for all things of this kind, in any place."""
    if thing.startswith(_PYTHON):
        return f"{_PYTHON}{_ANY}"
    parts = thing.split(":", _PARTS - 1)
    return f"arn:*:{parts[2]}:*:*:*" if len(parts) == _PARTS else thing


def _secret(ref: str, home: Home) -> str:
    if not ref.startswith(_SSM):
        return ref
    path = ref.removeprefix(_SSM)
    if path.startswith(_BY_SSM):
        return home.arn("secretsmanager", f"secret:{path.removeprefix(_BY_SSM)}")
    return home.arn("ssm", f"parameter{path}")


def _queue(url: str, home: Home) -> str:
    """Reads a queue's address. Account and name decide; the host may add a region."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    found = _QUEUE_PATH.fullmatch(parts.path)
    if found is None or parts.query or parts.fragment:
        # This is no ARN, so no pattern covers it.
        return url
    account, name = found.groups()
    host = _QUEUE_HOST.fullmatch(parts.netloc.lower())
    region = (host[1] or host[2]) if host else ""
    return home.arn("sqs", name, region=region, account=account or "")


def _covers(pattern: str, thing: str) -> bool:
    """Tells whether it fits part by part: a star in the region matches no part of the name."""
    if pattern.startswith(_PYTHON) or thing.startswith(_PYTHON):
        return _like(thing, pattern)
    wanted, found = pattern.split(":", _PARTS - 1), thing.split(":", _PARTS - 1)
    return len(wanted) == len(found) == _PARTS and all(map(_like, found, wanted))


def _like(text: str, pattern: str) -> bool:
    """Tells whether a text fits, with stars, in a time that grows with the text only."""
    first, *rest = pattern.split(_ANY)
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    *middle, last = rest
    at = len(first)
    for part in middle:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(text) - at >= len(last) and text.endswith(last)
