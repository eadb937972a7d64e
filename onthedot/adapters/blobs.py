"""What is too large for a table: put once under a name that its content decides, never changed."""

from __future__ import annotations

import os
from functools import lru_cache

from botocore.exceptions import ClientError

from onthedot.adapters import aws

# Runs of one task come one after the other, and want the same.
_KEPT = 64


def put(key: str, text: str) -> None:
    """Put it; there or not."""
    aws.client("s3").put_object(
        Bucket=_bucket(), Key=key, Body=text.encode(), ContentType="application/json"
    )


def get(key: str) -> str | None:
    """Get it, or nothing if somebody has deleted it."""
    try:
        return _got(_bucket(), key)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "NoSuchKey":
            raise
        return None


@lru_cache(_KEPT)
def _got(bucket: str, key: str) -> str:
    answer = aws.client("s3").get_object(Bucket=bucket, Key=key)
    return str(answer["Body"].read(), "utf-8")


def _bucket() -> str:
    return os.environ["BLOBS_BUCKET"]
