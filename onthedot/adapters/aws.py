"""Clients, made here and nowhere else, and what our tables and queues are called in the cloud."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

from botocore.config import Config
from botocore.session import get_session

_CONFIG = Config(
    parameter_validation=False,
    user_agent="onthedot/1",
    retries={"mode": "standard", "max_attempts": 3},
    connect_timeout=2,
    read_timeout=5,
    max_pool_connections=16,
)
_OK = 300
QUEUES = ("high", "normal", "low", "dead")


@cache
def _session() -> Any:
    return get_session()


@cache
def client(service: str) -> Any:
    """Give the client of a service; region, keys and endpoints come from the environment."""
    made = _session().create_client(service, config=_CONFIG)
    if service in ("dynamodb", "sqs"):
        made.meta.events.register(f"before-parse.{service}.*", _parse_fast)
    return made


def _parse_fast(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    """Take a good answer as the JSON it is: botocore's own parser costs as much as the call."""
    if response_dict["status_code"] < _OK and response_dict["body"]:
        customized_response_dict.update(json.loads(response_dict["body"]))
        response_dict["body"] = b"{}"


def table(name: str) -> str:
    """Give a table's physical name; a missing variable fails by name."""
    return os.environ[f"{name.upper()}_TABLE"]


def queue_url(queue: str) -> str:
    """Give a queue's address: high, normal, low or dead."""
    return os.environ[f"{queue.upper()}_QUEUE_URL"]


def queue_of_arn(arn: str) -> str:
    """Tell which of our queues an event comes from."""
    name = arn.rsplit(":", 1)[-1]
    return next(queue for queue in QUEUES if queue_url(queue).rsplit("/", 1)[-1] == name)
