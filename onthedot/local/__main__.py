"""Show when the engine would fire three sample schedules, each as a line at its second."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from onthedot.core import zones
from onthedot.core.explain import explanation
from onthedot.core.instants import local, nominal
from onthedot.core.schedule import Schedule, compile_schedule

_BANNER = f"""On the Dot: the schedule engine, tzdata {zones.VERSION}.
Nothing is stored or executed yet: there is no local cloud in this version, only the engine that
says when. Each line below is a fire at its second. Ctrl-C stops.
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """A named schedule to watch."""

    name: str
    schedule: Schedule


SAMPLES = (
    Sample("heartbeat", compile_schedule("*/10 * * * * *")),
    Sample("every-minute", compile_schedule("* * * * *", timezone="Europe/Paris")),
    Sample("nightly-report", compile_schedule("30 2 * * *", timezone="America/New_York")),
)


def main() -> None:
    """Print what each sample means, then its fires, until interrupted."""
    _say(_BANNER)
    for sample in SAMPLES:
        _say(f"  {sample.name:14}  {explanation(sample.schedule)}")
    _say("")
    try:
        after = int(time.time())
        while (fire := next_fire(after)) is not None:
            after, samples = fire
            time.sleep(max(0.0, after - time.time()))
            for sample in samples:
                _say(line(sample, after, late_ms=(time.time() - after) * 1000))
    except KeyboardInterrupt:
        _say("stopped")


def next_fire(after: int) -> tuple[int, list[Sample]] | None:
    """Give the next instant at which any sample fires, and which do."""
    slots = [(sample, sample.schedule.next(after)) for sample in SAMPLES]
    coming = [slot for _, slot in slots if slot is not None]
    if not coming:
        return None
    return min(coming), [sample for sample, slot in slots if slot == min(coming)]


def line(sample: Sample, slot: int, *, late_ms: float) -> str:
    """Show one fire."""
    shown = local(zones.zone(sample.schedule.timezone), slot)
    return f"{nominal(slot)}  {sample.name:14}  {shown:29}  shown {late_ms:.0f} ms after its second"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
