"""Laws of the audit's acts: what fails in one of them is told, and counts for the alarm.

Judged by what the stores answered to each act, and by how its process ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from botocore.exceptions import ClientError

from onthedot.schedule.time.instants import parse_nominal
from onthedot.upkeep import minute, minute_tally
from tests.simulation.faults.faults import Fault
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage

_FIGURES = next(place for place, act in enumerate(minute.ACTS) if act.name == "figures")
_SKEW_SEC = 2
# No act is left behind sooner.
_SLOW_US = 5_000_000
_READS = frozenset({"query", "batch_get_item"})
_REFUSED = frozenset({Fault.REFUSED, Fault.THROTTLED, Fault.LOST})


def obeyed(stage: Stage, _journal: object) -> Iterator[str]:
    """Checks each of them."""
    refused, stalled = _refused(stage), _stalled(stage)
    for process in stage.world.processes:
        if process.kind != "audit" or "/" in process.name or not process.parts:
            continue
        for place, part in enumerate(process.parts):
            if part in refused and part.done and not part.dead and part.error is None:
                yield f"kept silent: part {place} of {process.name} was refused a read"
        if process.done and not process.dead:
            yield from _ended(process, stalled)
    yield from _counted(stage, stalled)
    yield from _dated(stage)


def _refused(stage: Stage) -> set[Process]:
    """Parts to which a store never answered what they asked for."""
    open_reads: dict[Process, list[object]] = defaultdict(list)
    for _, process, operation, request, answer, fault in stage.world.trace:
        if process is None or operation not in _READS:
            continue
        if fault in _REFUSED or isinstance(answer, ClientError):
            open_reads[process].append(request)
        elif request in open_reads.get(process, ()):
            open_reads[process] = [each for each in open_reads[process] if each != request]
    return {process for process, requests in open_reads.items() if requests}


def _stalled(stage: Stage) -> set[str]:
    """Audits in which something was slow or stood still: an act may have been left behind."""
    began_us: dict[Process, int] = {}
    stalls = set()
    for at_us, process, what, *_ in stage.world.trace:
        if process is None:
            continue
        began_us.setdefault(process, at_us)
        if what == "stalls":
            stalls.add(process)
    stalls |= {each for each, at_us in began_us.items() if each.ended_us - at_us > _SLOW_US}
    return {each.name.partition("/")[0] for each in stalls}


def _ended(process: Process, stalled: set[str]) -> Iterator[str]:
    """Checks that an audit of which an act failed, or was left behind, has failed."""
    failed = [part for part in process.parts if part.error is not None or not part.done]
    late = [part for part in failed if part.done and part.ended_us > process.ended_us]
    if failed and not late and process.error is None:
        yield f"kept silent: {process.name}, of which {len(failed)} acts failed"
    if not failed and process.error is not None and process.name not in stalled:
        yield f"cried wolf: {process.name} failed, and none of its acts did"


def _counted(stage: Stage, stalled: set[str]) -> Iterator[str]:
    """Checks that the figures of a minute count an audit exactly if no act before them failed."""
    start_ms = stage.world.start.timestamp() * 1000
    audits = [each for each in stage.world.processes if each.kind == "audit" and each.parts]
    for at_ms, figures in stage.figures:
        if "audits" not in figures:
            continue
        at_us = round((at_ms - start_ms) * 1000)
        writers = [each for each in audits if _writes(each, at_us)]
        if len(writers) != 1 or writers[0].name in stalled:
            continue
        before = writers[0].parts[1:_FIGURES]
        whole = all(part.done and part.error is None and part.ended_us <= at_us for part in before)
        if figures["audits"] != whole:
            yield f"audits: {writers[0].name} counts as {figures['audits']}"
        if whole and "waiting_messages" not in figures:
            yield f"audits: {writers[0].name} does not say how many messages wait"


def _dated(stage: Stage) -> Iterator[str]:
    """Checks that each kept sum stands under a minute or an hour of the history."""
    end, start = stage.world.epoch_us() / 1_000_000, stage.world.start.timestamp()
    for partition, sec in ((minute_tally.MINUTES, 60), (minute_tally.HOURS, minute_tally.HOUR_SEC)):
        for kept, name in stage.world.store.table("runs").rows.items:
            if kept != partition:
                continue
            at = parse_nominal(name)
            if at % sec or not start - 2 * sec <= at <= end + _SKEW_SEC:
                yield f"misdated: a sum of {sec} s stands under {name}"


def _writes(process: Process, at_us: int) -> bool:
    """Tells whether its figures were told then."""
    if len(process.parts) <= _FIGURES:
        return False
    part = process.parts[_FIGURES]
    return part.done and not part.dead and abs(part.ended_us - at_us) <= 1
