"""What is too large for a table: put once under a name that its content decides, never changed."""

from __future__ import annotations

import os
from functools import lru_cache

from botocore.exceptions import ClientError

from onthedot.records.tasks.payloads import ASIDE
from onthedot.store import aws

# Runs of one task come one after the other, and want the same.
_KEPT = 64


def put(key: str, text: str) -> None:
    """Put it; there or not."""
    aws.client("s3").put_object(
        Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="application/json"
    )


def get(key: str) -> str | None:
    """Get it, even if it was just put aside; or nothing if somebody has deleted it."""
    for place in (key, ASIDE + key):
        try:
            return _got(_bucket(), place)
        except ClientError as refusal:
            if refusal.response["Error"]["Code"] != "NoSuchKey":
                raise
    return None


def listed(after: str) -> list[tuple[str, int]]:
    """List a page of what is there behind a key, with when each was put."""
    answer = aws.client("s3").list_objects_v2(Bucket=_bucket(), StartAfter=after)
    return [
        (each["Key"], int(each["LastModified"].timestamp() * 1000))
        for each in answer.get("Contents", ())
    ]


def put_aside(key: str) -> None:
    """Move it to where the bucket's own rule lets it expire."""
    _move(key, ASIDE + key)


def bring_back(key: str) -> None:
    """Move it back from there."""
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
