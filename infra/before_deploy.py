"""Looks at the account before a deployment, and prints the context that it decides.

What a person reads goes to stderr. What was chosen in cdk.json stays as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from infra import kept_storage
from infra.account_limits import Limits, plan
from infra.outputs import CDK, chosen_stage, outputs_of, stack_name
from infra.settings import FUNCTIONS
from onthedot.store import aws


def main() -> int:
    """Prints options for `cdk deploy`. 1: a person has to decide first."""
    context: dict[str, Any] = json.loads(CDK.read_text())["context"]
    stack = stack_name(chosen_stage())
    there = outputs_of(stack)
    try:
        options = {"kept": context["kept"] or _kept(stack, there)}
    except kept_storage.SeveralError as several:
        _say(f"Not deployed: {several}")
        return 1
    if not context["reserved_concurrency"]:
        options["reserved_concurrency"] = _reserved(there, int(context["worker_concurrency"]))
    for name, pairs in options.items():
        if pairs:
            written = ",".join(f"{key}={value}" for key, value in pairs.items())
            sys.stdout.write(f"--context {name}={written} ")
    return 0


def _kept(stack: str, there: Mapping[str, str]) -> Mapping[str, str]:
    """Goes on with the storage that this stack found, or that a destroyed one has left."""
    if there:
        return json.loads(there.get("KeptStorage", "{}"))  # type: ignore[no-any-return] # as written
    found = kept_storage.left(stack, _tables(), _buckets())
    if found:
        _say(f"Going on with what an earlier stack has left: {', '.join(found.values())}")
    return found


def _reserved(there: Mapping[str, str], workers: int) -> Mapping[str, int]:
    """Says what is reserved, or why nothing is."""
    client = aws.client("lambda")
    try:
        said = client.get_account_settings()["AccountLimit"]
        own = sum(_own(client, there[f"{name.title()}Function"]) for name in FUNCTIONS if there)
    except ClientError as refusal:
        code = refusal.response["Error"]["Code"]
        _say(f"Nothing is reserved: Lambda does not say what the account allows ({code}).")
        return {}
    limits = Limits(said["ConcurrentExecutions"], said["UnreservedConcurrentExecutions"], own)
    decided = plan(limits, workers)
    _say(decided.says)
    return decided.reserved


def _own(client: Any, function: str) -> int:  # noqa: ANN401 a client has no type
    answer = client.get_function_concurrency(FunctionName=function)
    return int(answer.get("ReservedConcurrentExecutions", 0))


def _tables() -> list[str]:
    pages = aws.client("dynamodb").get_paginator("list_tables").paginate()
    return [name for page in pages for name in page["TableNames"]]


def _buckets() -> list[str]:
    return [bucket["Name"] for bucket in aws.client("s3").list_buckets()["Buckets"]]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
