"""Reads what a deployment may choose from the CDK's context: cdk.json, or `-c name=value`."""

from dataclasses import dataclass
from typing import Self

from constructs import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The choices. docs/deploying.md says what each is for."""

    # The machine of the layers: pip's name of a platform, and a Python version.
    platform: str
    python: str
    # Invocations of the worker that may run at once, over all queues.
    worker_concurrency: int
    # MB of each invocation. From 1,769 on it has a whole processor.
    worker_memory_mb: int
    # Requests a second that the API takes before it answers 429, and in one burst.
    requests_per_sec: int
    requests_burst: int
    # Requests of a tenant that may wait for work at once, each in an invocation of its own.
    long_polls: int
    # What the worker may call and read for users: ARNs, which may have `*`.
    targets: tuple[str, ...]
    # Private networks that http targets may be in, such as 10.1.0.0/16, separated by commas.
    target_networks: str
    # Destinations of events, by ARN or https address, and the secret that signs for addresses.
    events_to: tuple[str, ...]
    events_sign_ref: str
    # Who is told when an alarm rings. Empty means nobody.
    alarm_email: str
    # Whether alarms can compute. The local cloud's cannot.
    metric_math: bool

    @classmethod
    def read(cls, node: Node) -> Self:
        """Reads all settings. The command line gives text where cdk.json gives numbers."""
        return cls(
            platform=_text(node, "platform"),
            python=_text(node, "python"),
            worker_concurrency=_number(node, "worker_concurrency", least=10),
            worker_memory_mb=_number(node, "worker_memory_mb", least=256),
            requests_per_sec=_number(node, "requests_per_sec", least=1),
            requests_burst=_number(node, "requests_burst", least=1),
            long_polls=_number(node, "long_polls", least=1),
            targets=_list(node, "targets"),
            target_networks=_text(node, "target_networks"),
            events_to=_list(node, "events_to"),
            events_sign_ref=_text(node, "events_sign_ref"),
            alarm_email=_text(node, "alarm_email"),
            metric_math=_yes(node, "metric_math"),
        )


def _text(node: Node, name: str) -> str:
    return str(node.get_context(name))


def _yes(node: Node, name: str) -> bool:
    value = str(node.get_context(name)).lower()
    if value not in {"true", "false"}:
        raise ValueError(f"context {name} is {value!r}; give true or false")
    return value == "true"


def _list(node: Node, name: str) -> tuple[str, ...]:
    value = node.get_context(name)
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part for part in parts if part)


def _number(node: Node, name: str, *, least: int) -> int:
    value = str(node.get_context(name))
    if not value.isdecimal() or int(value) < least:
        raise ValueError(f"context {name} is {value!r}; give a whole number of at least {least}")
    return int(value)
