"""What a deployment may choose, read from the CDK's context: cdk.json, or `-c name=value`."""

from dataclasses import dataclass
from typing import Self

from constructs import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The choices; docs/deploying.md says what each is for."""

    # For which machine the layers are built: pip's name of a platform, and a Python version.
    platform: str
    python: str
    # How many invocations of the worker may run at once, over all queues.
    worker_concurrency: int
    # What each of them has; a processor of its own from 1,769 on.
    worker_memory_mb: int
    # How many requests a second the API takes before it answers 429, and in one burst.
    requests_per_sec: int
    requests_burst: int
    # How many requests of a tenant may wait for work at once, each in a function of its own.
    long_polls: int
    # What the worker may call for its users, and read for them: ARNs, `*` allowed in them.
    targets: tuple[str, ...]
    # Private networks that http targets may be in: like 10.1.0.0/16, several with commas.
    target_networks: str
    # Where events go, by ARN or https address, and which secret signs those to addresses.
    events_to: tuple[str, ...]
    events_sign_ref: str
    # Who is told when an alarm goes off; nobody when empty.
    alarm_email: str

    @classmethod
    def read(cls, node: Node) -> Self:
        """Read them all; the command line gives text where cdk.json gives numbers."""
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
        )


def _text(node: Node, name: str) -> str:
    return str(node.get_context(name))


def _list(node: Node, name: str) -> tuple[str, ...]:
    value = node.get_context(name)
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part for part in parts if part)


def _number(node: Node, name: str, *, least: int) -> int:
    value = str(node.get_context(name))
    if not value.isdecimal() or int(value) < least:
        raise ValueError(f"context {name} is {value!r}; give a whole number of at least {least}")
    return int(value)
