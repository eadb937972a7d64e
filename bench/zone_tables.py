"""Measures the reading of one zone from the wheel, and of all."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import partial
from importlib import reload

from bench.measure import Line, at_most, best_sec
from onthedot.schedule.dst_stretches import Policy, stretches
from onthedot.schedule.time import tzif
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.time.zones import zone

ONE_MAX_MS = 1
ALL_MAX_SEC = 0.5


def lines() -> Iterator[Line]:
    """Reads every zone with empty caches, then all of them in a row."""
    names = sorted(zone_names())
    whole = (pkgutil.get_data("tzdata", "zones") or b"").decode().split()
    blobs = [pkgutil.get_data("tzdata", f"zoneinfo/{name}") or b"" for name in whole]
    files = best_sec(lambda: [tzif.read(blob) for blob in blobs], before=_forget)
    yield at_most(f"all {len(blobs)} files of the wheel", files, ALL_MAX_SEC, "s")
    slowest, name = max((best_sec(partial(zone, name), before=_forget), name) for name in names)
    yield at_most(f"slowest zone table: {name}", slowest * 1e3, ONE_MAX_MS, "ms")
    everything = best_sec(lambda: [zone(name) for name in names], before=_forget)
    yield at_most(f"all {len(names)} accepted zones, from the disk", everything, ALL_MAX_SEC, "s")
    cut, name = max(
        (best_sec(partial(stretches, name, Policy()), before=stretches.cache_clear), name)
        for name in names
    )
    yield at_most(f"slowest cut of a table by a policy: {name}", cut * 1e3, ONE_MAX_MS, "ms")


def _forget() -> None:
    zone.cache_clear()
    reload(tzif)
