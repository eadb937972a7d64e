"""Keeps large payloads as files of the emulator. Each new stack gives their bucket a new name."""

from __future__ import annotations

from onthedot.local import clients
from onthedot.local.folder import Folder


def settings(folder: Folder) -> dict[str, str]:
    """Tells the emulator to write each object to disk before it answers."""
    return {"S3_PERSIST": "1", "S3_DATA_DIR": str(folder.objects)}


def forget_uploads(folder: Folder) -> None:
    """Deletes what the CDK uploaded: it makes its bucket again, and must not find it there."""
    for uploads in folder.objects.glob("*/cdk-*"):
        folder.discard(uploads)


def carry_over(endpoint: str, bucket: str) -> None:
    """Moves the objects of earlier buckets into the present one. It may be cut off and repeated."""
    s3 = clients.client("s3", endpoint)
    family = bucket.rpartition("-")[0]
    for former in (each["Name"] for each in s3.list_buckets()["Buckets"]):
        if former == bucket or former.rpartition("-")[0] != family:
            continue
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=former):
            for key in (each["Key"] for each in page.get("Contents", ())):
                s3.copy_object(Bucket=bucket, Key=key, CopySource={"Bucket": former, "Key": key})
                s3.delete_object(Bucket=former, Key=key)
        s3.delete_bucket(Bucket=former)
