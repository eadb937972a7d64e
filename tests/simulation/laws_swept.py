"""Laws of the hourly sweep: it loses nothing, moves nothing young, and puts aside what is left."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.core.payloads import ASIDE, namer
from tests.simulation.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.sweeping import named

_DAY_SEC = 86_400
# The sweep of the first hour is over by then.
_SWEPT_SEC = 600


def heeded(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Judged by what the bucket held and by what the tables name, never by what the flow says."""
    wanted = named(stage)
    yield from _kept(stage, wanted)
    yield from _moved(stage, wanted)
    if stage.world.now_us >= _SWEPT_SEC * 1_000_000:
        yield from _sorted_out(stage, wanted)


def _kept(stage: Stage, wanted: set[str]) -> Iterator[str]:
    objects = stage.world.bucket.objects
    for key in wanted:
        if key not in objects and ASIDE + key not in objects:
            yield f"gone: {key} is named"


def _moved(stage: Stage, wanted: set[str]) -> Iterator[str]:
    """Nothing young, nothing that is named, nothing of others."""
    for at_us, key, put_us in stage.world.bucket.deleted:
        age_sec = (at_us - put_us) / 1_000_000
        if not key.startswith(ASIDE) and age_sec < _DAY_SEC:
            yield f"swept young: {key} was {age_sec:.0f} s old"
        if key in wanted:
            yield f"swept in vain: {key} is named"
        if namer(key.removeprefix(ASIDE)) is None:
            yield f"not ours: {key} was moved"


def _sorted_out(stage: Stage, wanted: set[str]) -> Iterator[str]:
    """What is old lies where it belongs."""
    first_us = stage.world.epoch_us() - stage.world.now_us
    for key, (put_us, _) in stage.world.bucket.objects.items():
        own = key.removeprefix(ASIDE)
        if first_us - put_us < _DAY_SEC * 1_000_000 or namer(own) is None:
            continue
        if own == key and own not in wanted:
            yield f"left: nothing names {key}"
        if own != key and own in wanted:
            yield f"left aside: {key} is named"
