"""Finds this machine's zone for the viewer's column. UTC if the machine does not say."""

from __future__ import annotations

import os
from pathlib import Path

from onthedot.schedule.time.zone_names import zone_names


def machine_zone() -> str:
    """Looks where a Unix machine keeps it."""
    link = Path("/etc/localtime")
    linked = str(link.resolve()).partition("/zoneinfo/")[2] if link.is_symlink() else ""
    named = Path("/etc/timezone")
    written = named.read_text(encoding="utf-8").strip() if named.is_file() else ""
    said = (os.environ.get("TZ", "").removeprefix(":"), linked, written)
    return next((name for name in said if name in zone_names()), "UTC")
