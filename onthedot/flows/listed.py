"""Listing what may be claimed: for the audit, before the first claim, and for who looks on."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import aws, tables
from onthedot.core import manifest
from onthedot.core.manifest import Manifest


def write(manifests: Sequence[Manifest]) -> None:
    """Put each at both places at once: a list of recent runs then asks four partitions an hour."""
    items = [item for each in manifests for item in manifest.kept(each)]
    aws.in_parallel(lambda item: tables.put(manifest.TABLE, item), items)
