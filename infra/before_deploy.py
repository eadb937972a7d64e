"""Looks at the account before a deployment, and prints the context that it decides.

What a person reads goes to stderr. What was chosen in cdk.json or OPTIONS stays as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from infra import kept_storage
from infra.account_limits import Limits, plan
from infra.outputs import CDK, chosen_stage, said_by, stack_name
from infra.settings import FUNCTIONS
from onthedot.store import aws

_DECIDED = ("kept", "reserved_concurrency")
_TWO_STAGES = (
    "cdk.json names the tables of another stage (kept), and two stages must not share them. Give "
    'OPTIONS="--context kept=" for new ones'
)
# There is no stack, or one without resources, or it goes.
_EMPTY = ("REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_")


def main(options: Sequence[str]) -> int:
    """Prints options for the CDK. 1: a person has to decide first."""
    context: dict[str, Any] = json.loads(CDK.read_text())["context"]
    asked = given(options)
    chosen = context | asked
    if asked.get("stage", chosen_stage()) != chosen_stage():
        _say("Not deployed: give the stage as STAGE=, not in OPTIONS. All commands read it there.")
        return 1
    if context["kept"] and "kept" not in asked and chosen_stage() != context["stage"]:
        _say(f"Not deployed: {_TWO_STAGES}")
        return 1
    # What is given empty is decided, too: none.
    open_ones = [name for name in _DECIDED if name not in asked and not context[name]]
    stack = stack_name(chosen_stage())
    try:
        state, there = said_by(stack)
        decided: dict[str, Mapping[str, Any]] = {}
        if "kept" in open_ones:
            decided["kept"] = _kept(stack, state, there)
    except kept_storage.UndecidedError as undecided:
        _say(f"Not deployed: {undecided}")
        return 1
    except ClientError as refusal:
        _say(f"Not deployed: {refusal}. docs/deploying.md says which rights this needs.")
        return 1
    if "reserved_concurrency" in open_ones:
        workers = 0 if chosen["pollers"] else int(chosen["worker_concurrency"])
        decided["reserved_concurrency"] = _reserved(there, workers)
    for name, pairs in decided.items():
        if pairs:
            written = ",".join(f"{key}={value}" for key, value in pairs.items())
            sys.stdout.write(f"--context {name}={written} ")
    return 0


def given(options: Sequence[str]) -> dict[str, str]:
    """Returns the context that the CDK's options give: it wins over cdk.json."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-c", "--context", action="append", default=[])
    found, _ = parser.parse_known_args(list(options))
    return {name: value for name, _, value in (each.partition("=") for each in found.context)}


def _kept(stack: str, state: str, there: Mapping[str, str]) -> Mapping[str, str]:
    """Goes on with the storage that this stack found, or that a destroyed one has left."""
    if state and not state.startswith(_EMPTY):
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
    """Lists those of this region. Without any filter S3 does not say where a bucket is."""
    client = aws.client("s3")
    pages = client.get_paginator("list_buckets").paginate(Prefix=kept_storage.BUCKETS)
    here = client.meta.region_name
    return [
        each["Name"]
        for page in pages
        for each in page["Buckets"]
        if each.get("BucketRegion", here) == here
    ]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
