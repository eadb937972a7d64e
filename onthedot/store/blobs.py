"""Stores what is too large for a table, under a name made from its content. It never changes."""

from __future__ import annotations

import os
from functools import lru_cache

from botocore.exceptions import ClientError

from onthedot.records.tasks.payloads import ASIDE
from onthedot.store import aws

# Runs of one task follow each other and need the same object, so some stay in memory.
_KEPT = 64


def put(key: str, text: str) -> None:
    """Puts an object. Nothing changes if it exists."""
    aws.client("s3").put_object(
        Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="application/json"
    )


def get(key: str) -> str | None:
    """Returns an object, even if it was just put aside. None if it was deleted."""
    for place in (key, ASIDE + key):
        try:
            return _got(_bucket(), place)
        except ClientError as refusal:
            if refusal.response["Error"]["Code"] != "NoSuchKey":
                raise
    return None


def listed(after: str) -> list[tuple[str, int]]:
    """Returns a page of the objects after a key, with the time when each was put."""
    answer = aws.client("s3").list_objects_v2(Bucket=_bucket(), StartAfter=after)
    return [
        (each["Key"], int(each["LastModified"].timestamp() * 1000))
        for each in answer.get("Contents", ())
    ]


def put_aside(key: str) -> None:
    """Moves an object to a prefix where the bucket's own rule lets it expire."""
    _move(key, ASIDE + key)


def bring_back(key: str) -> None:
    """Moves an object back from there."""
    _move(ASIDE + key, key)


def _move(key: str, to: str) -> None:
    source = {"Bucket": _bucket(), "Key": key}
    aws.client("s3").copy_object(CopySource=source, Bucket=_bucket(), Key=to)
    aws.client("s3").delete_object(**source)


@lru_cache(_KEPT)
def _got(bucket: str, key: str) -> str:
    answer = aws.client("s3").get_object(Bucket=bucket, Key=key)
    return str(answer["Body"].read(), "utf-8")


def _bucket() -> str:
    return os.environ["BLOBS_BUCKET"]
