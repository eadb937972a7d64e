"""Reads what a deployment may choose from the CDK's context: cdk.json, or `-c name=value`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from constructs import Node

from infra.kept_storage import PARTS

FUNCTIONS = ("dispatch", "work", "audit", "api")
QUEUES = ("high", "normal", "low")
# What Lambda allows a mapping of a queue.
_POLLERS_LEAST, _POLLERS_MOST = (2, 200), (2, 2_000)
_CONCURRENCY_MOST = 2_500
# With a longer one CloudFormation cuts the bucket's name, which a later deployment looks for.
_STAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,19}")
# What a table has on demand. DynamoDB refuses less.
_WARM_READS, _WARM_WRITES = 12_000, 4_000


class Pollers(NamedTuple):
    """How many pollers a queue always has, and how many it may get."""

    least: int
    most: int


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
    # The worker's network: a VPC, its subnets and security groups. Empty: the internet alone.
    vpc: str
    subnets: tuple[str, ...]
    security_groups: tuple[str, ...]
    # How the worker gets from there to AWS: "nat", or "endpoints" through these route tables.
    vpc_exit: str
    route_tables: tuple[str, ...]
    # A file with certificates of one's own authorities, which https targets may have.
    ca_bundle: str
    # Provisioned pollers of a queue: the least and the most. Instead of `worker_concurrency`.
    pollers: Mapping[str, Pollers]
    # Invocations that are kept free for a function, and the most of it. 0: none, no limit.
    reserved_concurrency: Mapping[str, int]
    # Reads and writes a second that Tasks, Runs and the index `due` can take at once. 0: as AWS
    # gives them.
    warm_reads: int
    warm_writes: int
    # Tables and bucket that are there already, by their part. Empty: the stack makes its own.
    kept: Mapping[str, str]
    # Tells stacks of one account apart.
    stage: str
    tags: Mapping[str, str]
    # The ARN of the policy that bounds every role.
    permissions_boundary: str
    # True if the stack cannot be deleted before this is switched off.
    termination_protection: bool
    # The ARN of the KMS key for tables, queues, bucket and topic. Empty: keys of AWS.
    key_arn: str
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
            worker_concurrency=_number(
                node, "worker_concurrency", least=10, most=_CONCURRENCY_MOST
            ),
            worker_memory_mb=_number(node, "worker_memory_mb", least=256),
            requests_per_sec=_number(node, "requests_per_sec", least=1),
            requests_burst=_number(node, "requests_burst", least=1),
            long_polls=_number(node, "long_polls", least=1),
            targets=_list(node, "targets"),
            target_networks=_text(node, "target_networks"),
            events_to=_list(node, "events_to"),
            events_sign_ref=_text(node, "events_sign_ref"),
            **_network(node),
            ca_bundle=_text(node, "ca_bundle"),
            pollers=_pollers(node),
            reserved_concurrency=_reserved(node),
            warm_reads=_warm(node, "warm_reads", least=_WARM_READS),
            warm_writes=_warm(node, "warm_writes", least=_WARM_WRITES),
            kept=_kept(node),
            stage=_stage(node),
            tags=_pairs(node, "tags"),
            permissions_boundary=_text(node, "permissions_boundary"),
            termination_protection=_yes(node, "termination_protection"),
            key_arn=_text(node, "key_arn"),
            alarm_email=_text(node, "alarm_email"),
            metric_math=_yes(node, "metric_math"),
        )


def _text(node: Node, name: str) -> str:
    return str(node.get_context(name))


def _network(node: Node) -> dict[str, Any]:
    """Reads the worker's network. Private targets are out of reach without one."""
    found: dict[str, Any] = {
        "vpc": _text(node, "vpc"),
        "vpc_exit": _text(node, "vpc_exit"),
        **{name: _list(node, name) for name in ("subnets", "security_groups", "route_tables")},
    }
    if not found["vpc"]:
        if networks := _text(node, "target_networks"):
            raise ValueError(
                f"context target_networks is {networks!r}, and the worker is in no VPC, so it "
                "cannot reach them; give vpc, subnets and security_groups"
            )
        return found
    missing = [name for name in ("subnets", "security_groups") if not found[name]]
    if found["vpc_exit"] == "endpoints" and not found["route_tables"]:
        missing.append("route_tables")
    if missing:
        raise ValueError(f"context vpc is {found['vpc']!r}; give also {' and '.join(missing)}")
    if found["vpc_exit"] not in ("nat", "endpoints"):
        raise ValueError(
            f"context vpc_exit is {found['vpc_exit']!r}; give nat if the subnets reach AWS by a "
            "NAT, or endpoints to get what the worker needs"
        )
    return found


def _pollers(node: Node) -> dict[str, Pollers]:
    return {
        queue: _range(queue, text) for queue, text in _pairs(node, "pollers", known=QUEUES).items()
    }


def _range(queue: str, text: str) -> Pollers:
    least, _, most = text.partition("-")
    if least.isdecimal() and most.isdecimal():
        found = Pollers(int(least), int(most))
        bounds = (_POLLERS_LEAST, _POLLERS_MOST)
        fits = [low <= value <= high for value, (low, high) in zip(found, bounds, strict=True)]
        if all(fits) and found.least <= found.most:
            return found
    raise ValueError(
        f"context pollers has {queue}={text!r}; give the least (2 to 200) and the most (2 to "
        "2000), such as high=2-20"
    )


def _reserved(node: Node) -> dict[str, int]:
    found = _pairs(node, "reserved_concurrency", known=FUNCTIONS)
    for name, text in found.items():
        if not text.isdecimal() or int(text) < 1:
            raise ValueError(
                f"context reserved_concurrency has {name}={text!r}; give a whole number of at "
                "least 1"
            )
    return {name: int(text) for name, text in found.items()}


def _warm(node: Node, name: str, *, least: int) -> int:
    value = _number(node, name, least=0)
    if 0 < value < least:
        raise ValueError(f"context {name} is {value}; give 0 or at least {least}, as AWS gives it")
    return value


def _kept(node: Node) -> dict[str, str]:
    found = _pairs(node, "kept", known=PARTS)
    if found and len(found) < len(PARTS):
        raise ValueError(f"context kept has {', '.join(found)}; give all of {', '.join(PARTS)}")
    return found


def _stage(node: Node) -> str:
    stage = _text(node, "stage")
    if stage and not _STAGE.fullmatch(stage):
        raise ValueError(
            f"context stage is {stage!r}; give up to 20 letters, digits and hyphens, such as test"
        )
    return stage


def _pairs(node: Node, name: str, known: tuple[str, ...] = ()) -> dict[str, str]:
    """Reads `a=1,b=2`, or the same as an object of cdk.json."""
    value = node.get_context(name)
    if isinstance(value, str):
        parts = [part.partition("=") for part in value.split(",") if part]
        value = {key.strip(): text.strip() for key, _, text in parts}
    for key in value:
        if known and key not in known:
            raise ValueError(f"context {name} has {key!r}; give {', '.join(known)}")
    return {str(key): str(text) for key, text in value.items()}


def _yes(node: Node, name: str) -> bool:
    value = str(node.get_context(name)).lower()
    if value not in {"true", "false"}:
        raise ValueError(f"context {name} is {value!r}; give true or false")
    return value == "true"


def _list(node: Node, name: str) -> tuple[str, ...]:
    value = node.get_context(name)
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part for part in parts if part)


def _number(node: Node, name: str, *, least: int, most: int | None = None) -> int:
    value = str(node.get_context(name))
    if not value.isdecimal() or int(value) < least or (most is not None and int(value) > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"context {name} is {value!r}; give a whole number {bounds}")
    return int(value)
