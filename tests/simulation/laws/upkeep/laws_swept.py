"""Laws of the hourly sweep: it loses nothing, moves nothing young, and puts aside what is left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.tasks.payloads import ASIDE, namer
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.bucket_sweep import named

_DAY_SEC = 86_400
# When the sweep of each hour begins, and when it is over: 0033 gives it ten seconds.
_FROM_SEC, _SWEPT_SEC = 420, 600
_HOUR_SEC, _SWEEPS_SEC = 3_600, 10
# After this many hours a sweep has seen all of the bucket, even if each one was stopped soon.
_ROUND_HOURS = 3


def obeyed(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that judged by what the bucket held and by what the tables name, never by what the
    flow says.
    """
    wanted = named(stage)
    yield from _kept(stage, wanted)
    yield from _moved(stage, wanted)
    yield from _looked(stage)
    if stage.world.now_us >= _SWEPT_SEC * 1_000_000:
        yield from _sorted_out(stage, wanted)


def _looked(stage: Stage) -> Iterator[str]:
    """Checks that an hour looks at the bucket in one minute, and for no longer than it may."""
    times: dict[str, list[float]] = defaultdict(list)
    for at_us, process, operation, *_ in stage.world.trace:
        if operation == "list_objects_v2" and process is not None:
            times[process.name].append(at_us / 1_000_000)
    hours = [each[0] // _HOUR_SEC for each in times.values()]
    for hour in sorted({hour for hour in hours if hours.count(hour) > 1}):
        yield f"swept often: {hours.count(hour)} looks in hour {hour:.0f}"
    for name, each in times.items():
        # The last page may have been asked for before the time was over.
        if len(each) > 1 and each[-2] - each[0] > _SWEEPS_SEC:
            yield f"swept long: {name} looked for {each[-1] - each[0]:.0f} s"


def _old_us(stage: Stage) -> int:
    """What was put before is old for a sweep that has seen all of the bucket by now."""
    hours = int(stage.world.now_us / 1_000_000 - _SWEPT_SEC) // _HOUR_SEC
    calm = not stage.world.chooser.aims
    last_sec = (hours if calm else max(0, hours + 1 - _ROUND_HOURS)) * _HOUR_SEC + _FROM_SEC
    first_us = stage.world.epoch_us() - stage.world.now_us
    return first_us + (last_sec - _DAY_SEC) * 1_000_000


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
    """Checks that what is old lies where it belongs."""
    old_us = _old_us(stage)
    for key, (put_us, _) in stage.world.bucket.objects.items():
        own = key.removeprefix(ASIDE)
        if put_us >= old_us or namer(own) is None:
            continue
        if own == key and own not in wanted:
            yield f"left: nothing names {key}"
        if own != key and own in wanted:
            yield f"left aside: {key} is named"
