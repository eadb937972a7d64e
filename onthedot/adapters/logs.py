"""Lines of a log stream, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines with their times, and where the next ones are, if more may follow."""

    events: list[dict[str, Any]]
    following: str | None


def read(
    group: str, stream: str, between_ms: tuple[int, int], *, limit: int, token: str | None
) -> Lines | None:
    """Read on in a stream; None: it is not kept any more."""
    request: dict[str, Any] = {"nextToken": token} if token else {}
    try:
        answer = aws.client("logs").get_log_events(
            logGroupName=group,
            logStreamName=stream,
            startTime=between_ms[0],
            endTime=between_ms[1],
            startFromHead=True,
            limit=limit,
            **request,
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ResourceNotFoundException":
            raise
        return None
    # At its end, a stream gives the very token that it was asked with.
    following = answer["nextForwardToken"]
    return Lines(answer["events"], None if following == token else following)
