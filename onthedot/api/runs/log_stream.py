"""Reads the lines of a log stream page by page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from onthedot.store import aws


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines with their times, and where the next ones are, if more may follow."""

    events: list[dict[str, Any]]
    following: str | None


def read(
    group: str, stream: str, between_ms: tuple[int, int], *, limit: int, token: str | None
) -> Lines | None:
    """Reads on in a stream. None: no stream has this name."""
    if folder := os.environ.get("RUN_LOGS"):
        return _of_file(Path(folder, stream), between_ms, limit=limit, token=token)
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
    # At its end, a stream returns the token that it was asked with.
    following = answer["nextForwardToken"]
    return Lines(answer["events"], None if following == token else following)


def _of_file(
    file: Path, between_ms: tuple[int, int], *, limit: int, token: str | None
) -> Lines | None:
    """Reads what `run_log` has kept in a file. A token is the position of the next line."""
    if not file.exists():
        return None
    first_ms, end_ms = between_ms
    events: list[dict[str, Any]] = []
    with file.open(encoding="utf-8") as lines:
        lines.seek(int(token or 0))
        while len(events) < limit:
            written, _, text = lines.readline().partition(" ")
            if not text.endswith("\n"):
                return Lines(events, None)
            if first_ms <= int(written) < end_ms:
                events.append({"timestamp": int(written), "message": text})
        return Lines(events, str(lines.tell()))
