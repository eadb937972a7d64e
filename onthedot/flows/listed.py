"""Listing what may be claimed: for the audit, before the first claim, and for who looks on."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import aws, tables
from onthedot.core import manifest
from onthedot.core.manifest import Manifest
from onthedot.core.run import Run


def write(manifests: Sequence[Manifest]) -> None:
    """Put each at both places at once: a list of recent runs then asks four partitions an hour."""
    items = [item for each in manifests for item in manifest.kept(each)]
    aws.in_parallel(lambda item: tables.put(manifest.TABLE, item), items)


def list_the_missed(records: Sequence[Run], *, by: str, now_ms: int) -> None:
    """List those that somebody is to be told of; there are none on an ordinary day."""
    missed = [record for record in records if record.life.status == "missed"]
    if missed:
        entries = [manifest.entry(record) for record in missed]
        latest_ms = max(record.life.due_ms for record in missed)
        write(manifest.listing(by, entries, now_ms=now_ms, latest_ms=latest_ms))
