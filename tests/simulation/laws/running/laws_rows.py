"""Laws of rows: what a run's row tells of leases, attempts and its end is what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_status import FINAL
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.timing import true_slots
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.stage import Stage

_LEASE_MS = 20_000
_KEPT_SEC = 90 * 86_400
_WANT_ATTENTION = frozenset({"dead", "missed", "retrying"})
# Between a start and a heartbeat a clock may be set, and a write takes a while.
_LONG_MS = 1_000
_GAVE_BACK = frozenset({"yielded", "released"})


def _by_a_machine(change: Change) -> bool:
    return change.writer is not None and change.writer.kind == "worker"


def leased(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that each start and each heartbeat holds the run for one lease, and no longer."""
    off_ms = _off_ms(stage)
    for change in journal.changes:
        before, after = change.before, change.after
        # An outside worker says for how long it holds a run.
        if after is None or after.status != "running" or change.asked or _by_a_machine(change):
            continue
        started_ms = int(after.life.get("started_ms", {"N": 0})["N"])
        latest_ms = change.at_ms + off_ms
        if change.started:
            held_ms = after.lease_ms - started_ms
            # A permit may end sooner than a lease.
            short = held_ms < _LEASE_MS and "permit" not in after.life
            if held_ms > _LEASE_MS or short or held_ms <= 0:
                yield f"lease: {change.run_id} was started for {held_ms} ms"
            if started_ms > latest_ms:
                yield f"future: {change.run_id} was started {started_ms - latest_ms:.0f} ms ahead"
            if not after.owner:
                yield f"nobody: {change.run_id} was started by nobody"
        elif before is not None and after.lease_ms > max(before.lease_ms, latest_ms + _LEASE_MS):
            yield f"lease: {change.run_id} was extended until {after.lease_ms}"


def _off_ms(stage: Stage) -> float:
    """Returns by how much a clock may be ahead."""
    profile = stage.world.profile
    return 3 * SKEW_MS if profile.clock_steps or profile.astray else SKEW_MS


def born(journal: Journal) -> Iterator[str]:
    """Checks that a slot's own row is of a slot that some version of its task had until then."""
    for change in journal.changes:
        if change.before is not None or change.writer is None or not is_slot_key(change.key):
            continue
        # What the clock jumped over is recorded where it would have been.
        if change.after is not None and change.after.reason == "dst_gap":
            continue
        versions = [one for one in journal.versions[change.task_id] if one.at_ms <= change.at_ms]
        slot = parse_nominal(change.key)
        if not any(true_slots.is_slot(one.task, slot) for one in versions):
            yield f"no slot: {change.run_id} is in no version of its schedule"


def told(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks what each row says at the end of its attempts, of its end, and of its place in
    a list.
    """
    ends, off_ms = _ends(journal), _off_ms(stage)
    # What the world has put there has no past.
    ours = {(one.task_id, one.key) for one in journal.changes if not one.before and one.writer}
    answers = {(one.run_id, one.attempt): one.answer for one in stage.deliveries}
    for item in _rows(stage):
        if (item["task_id"], item["scheduled_for"]) not in ours:
            continue
        life = item["life"]
        run_id = f"{item['task_id']} {item['scheduled_for']}"
        yield from _listed(run_id, item)
        yield from _attempts(run_id, life, off_ms)
        if life["status"] in FINAL:
            end = ends.get((item["task_id"], item["scheduled_for"]))
            yield from _ended(run_id, item, end, off_ms)
    for (run_id, attempt), answer in answers.items():
        yield from _answered(stage, run_id, attempt, answer)


def long(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that with each heartbeat, what has used up four fifths of its time is listed as
    long.
    """
    begun: dict[str, float] = {}
    profile = stage.world.profile
    # Who starts it looks at the clock, and then the store takes its time over the write.
    written_ms = profile.slow_ms[1] if profile.slow else 0
    for change in journal.changes:
        before, after = change.before, change.after
        if after is None or before is None or after.status != "running":
            continue
        if change.started:
            begun[change.run_id] = change.at_ms
            continue
        tasks = [one.task for one in journal.versions[change.task_id]]
        beaten = change.run_id in begun and before.lease_ms != after.lease_ms
        if not beaten or any(is_fetched(task) for task in tasks):
            continue
        took_ms = change.at_ms - begun[change.run_id]
        most_ms = {task.timeout_sec * 800 for task in tasks}
        listed = after.attention.endswith("#long")
        # Who stands still before it writes has looked at its clock long before.
        fresh = after.lease_ms > change.at_ms + _LEASE_MS - _LONG_MS - _off_ms(stage)
        if took_ms > max(most_ms) + 2 * _LONG_MS + 2 * _off_ms(stage) and fresh and not listed:
            yield f"not long: {change.run_id} has run for {took_ms / 1000:.1f} s"
        if took_ms < min(most_ms) - _LONG_MS - written_ms and listed:
            yield f"long: {change.run_id} has run for {took_ms / 1000:.1f} s only"


def _listed(run_id: str, item: Mapping[str, Any]) -> Iterator[str]:
    """It stands on the list of what wants attention exactly if it does."""
    status, place = item["life"]["status"], item.get("attention", "")
    # A person has seen to what was replayed or purged.
    seen_to = "replayed_as" in item or "purged_ms" in item
    wants = status in _WANT_ATTENTION and not seen_to
    wanted = f"{item['tenant_id']}#{status}" if wants else ""
    if place != wanted and not (status == "running" and place == f"{item['tenant_id']}#long"):
        yield f"listed: {run_id} is {status} and stands on '{place}'"
    if bool(place) != ("attention_at" in item):
        yield f"listed: {run_id} has a place without a time, or a time without a place"
    if wanted and item.get("status") != status:
        yield f"listed: {run_id} is {status} and is listed as {item.get('status')}"


def _attempts(run_id: str, life: Mapping[str, Any], off_ms: float) -> Iterator[str]:
    """Checks that each earlier attempt has one record, in order; what was given back is counted."""
    records = life.get("attempts", [])
    last = int(life["attempt"])
    # What is over may have been ended while it waited for another attempt.
    settled = {"retrying": {last}, "running": {last - 1}}.get(life["status"], {last - 1, last})
    numbers = [each["attempt"] for each in records]
    if len(numbers) not in {max(0, one) for one in settled} or numbers != [
        number + 1 for number in range(len(numbers))
    ]:
        yield f"recorded: {run_id} has attempt {life['attempt']}, and records {records}"
    back = sum(each["outcome"] in _GAVE_BACK for each in records)
    if back != life.get("released", 0):
        yield f"recorded: {run_id} was given back {back} times, and counts {life['released']}"
    if any(each["ended_ms"] < each["started_ms"] - 2 * off_ms for each in records):
        yield f"recorded: {run_id} has an attempt that ended before it began"
    if any(not each["worker"] for each in records):
        yield f"recorded: {run_id} has an attempt of nobody"
    first = life.get("first_started_ms", 0)
    if life["status"] == "dead" and last == 1:
        # The only one of all, which a purge has put on record.
        first = life["started_ms"]
    if records and first != records[0]["started_ms"]:
        yield f"recorded: {run_id} says that it first started at {first}"


def _ended(
    run_id: str, item: Mapping[str, Any], end: Change | None, off_ms: float
) -> Iterator[str]:
    """Checks that it ended when that was written, and is kept for ninety days from then on."""
    ended_ms = item["life"].get("ended_ms", 0)
    if end is not None and ended_ms > end.at_ms + 2 * off_ms:
        yield f"ended: {run_id} ended {ended_ms - end.at_ms:.0f} ms after that was written"
    if ended_ms < item["life"].get("started_ms", 0) - 2 * off_ms:
        yield f"ended: {run_id} ended before it was started"
    kept_sec = item.get("expires_at", 0) - ended_ms // 1000
    if not _KEPT_SEC <= kept_sec <= _KEPT_SEC + 86_400:
        yield f"kept: {run_id} is kept for {kept_sec} s"


def _answered(stage: Stage, run_id: str, attempt: int, answer: object) -> Iterator[str]:
    """Checks that what the target said is what the record says, unless its worker was lost."""
    run = stage.rows().get(run_id)
    said = getattr(answer, "outcome", "")
    if run is None or not said:
        return
    told = [each["outcome"] for each in run.life.attempts if each["attempt"] == attempt]
    if told not in ([], [said], ["lost"], ["timed_out"]):
        yield f"recorded: attempt {attempt} of {run_id} said {said}, and the row says {told}"


def _ends(journal: Journal) -> dict[tuple[str, str], Change]:
    """Returns when the outcome of each was written first."""
    found: dict[tuple[str, str], Change] = {}
    for change in journal.changes:
        if change.after and change.after.final:
            found.setdefault((change.task_id, change.key), change)
    return found


def _rows(stage: Stage) -> Iterator[Mapping[str, Any]]:
    for item in stage.world.store.scan(TableName="runs")["Items"]:
        if "life" in item and "tv" in item["life"]["M"]:
            yield plain_item(item)
