"""What the stores committed in one history, in order: rows, gates, both parts of a task, messages.

Read from the stores' own logs, so that no flow can flatter itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from onthedot.records.attributes import plain, plain_item
from onthedot.records.keys import GATE, run_id
from onthedot.records.runs.run_status import FINAL
from onthedot.records.runs.tenant_permits import LIMIT, LINE
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.work.gates.concurrency_key import RATE

if TYPE_CHECKING:
    from tests.simulation.machine.process import Process
    from tests.simulation.machine.world import World

RUN_NAMED = re.compile(r'"run_id":"([^"]+)"')
SENDS = frozenset({"send_message", "send_message_batch"})
_LOOPS = ("backfill#", "operation#", "recompute#")
SKEW_MS = 2_000


class Seen(NamedTuple):
    """A row at one moment; `life` is the map itself, to tell whether anything changed."""

    status: str
    reason: str
    attempt: int
    tv: int
    schedule_version: int
    due_ms: int
    lease_ms: int
    owner: str
    range_to: str
    range_count: int
    mortal: bool  # it has an end of life
    fetched: bool  # outside workers find it in their index
    attention: str  # the list of runs that need attention on which it stands
    purged: bool  # a purge has taken its results
    life: Mapping[str, Any]

    @property
    def final(self) -> bool:
        return self.status in FINAL


class Change(NamedTuple):
    """One committed write of a row, in true time."""

    at_ms: float
    task_id: str
    key: str
    before: Seen | None
    after: Seen | None
    writer: Process | None
    skew_ms: int  # how the writer's clock stood, corrected, or the worst that it may have stood

    @property
    def run_id(self) -> str:
        return run_id(self.task_id, self.key)

    @property
    def started(self) -> bool:
        """Tells whether an attempt begins with it."""
        if self.after is None or self.after.status != "running":
            return False
        return self.before is None or self.before.attempt != self.after.attempt

    @property
    def asked(self) -> bool:
        """Tells whether a process of the API wrote it for somebody outside who works runs."""
        return self.writer is not None and self.writer.kind == "said"


class Held(NamedTuple):
    """A gate from one moment on."""

    at_ms: float
    holders: tuple[str, ...]
    waiting: tuple[str, ...]
    # From which key on others stand in line to catch up; the rows say which.
    since: str = ""


class Limit(NamedTuple):
    """How many runs of a tenant may be under way from one moment on; zero is no limit."""

    at_ms: float
    most: int
    tenant_id: str


class Version(NamedTuple):
    """A task from one moment on."""

    at_ms: float
    task: Task
    writer: Process | None = None


class Move(NamedTuple):
    """A write of a cursor."""

    at_ms: float
    task_id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


class Begun(NamedTuple):
    """Work on many runs that was begun."""

    at_ms: float
    of: str
    writer: Process | None


@dataclass(slots=True)
class Journal:
    """Everything that was committed, by what it was."""

    changes: list[Change] = field(default_factory=list)
    gates: dict[str, list[Held]] = field(default_factory=lambda: defaultdict(list))
    # When starts under a key's rate were booked for, booking by booking.
    bookings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    # When a run joined its tenant's line, and when it left it.
    lines: dict[str, list[tuple[float, bool]]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[str, list[Version]] = field(default_factory=lambda: defaultdict(list))
    moves: list[Move] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    # When the history began.
    start_ms: float = 0.0
    # Backfills and operations on dead letters, by their ids.
    loops: dict[str, Begun] = field(default_factory=dict)
    # When SQS first took a message that names the run.
    sent_ms: dict[str, float] = field(default_factory=dict)

    def of_run(self, task_id: str, key: str) -> list[Change]:
        return [one for one in self.changes if one.task_id == task_id and one.key == key]


def read(world: World, corrected: Mapping[str, int]) -> Journal:
    """Reads the logs of a history that is over, in which clocks were corrected by so much."""
    journal = Journal()
    start_us = world.epoch_us() - world.now_us
    journal.start_ms = start_us / 1000
    writers = writers_of(world)
    for at_us, key, before, after in pairs(world, "runs"):
        if key[1] == GATE:
            journal.gates[key[0]].append(_held(at_us, after))
        elif key[1].startswith("#"):
            _read_bound(journal, at_us / 1000, key, (before, after))
        elif _is_of_this_history(before, after, at_us, start_us):
            ends = (_seen(before), _seen(after))
            writer = writers.get(at_us)
            skew_ms = SKEW_MS
            if writer is not None:
                skew_ms = writer.skew_at(at_us - start_us) // 1000 + corrected.get(writer.name, 0)
            change = Change(at_us / 1000, key[0], key[1], *ends, writer, skew_ms)
            journal.changes.append(change)
    for at_us, key, before, after in pairs(world, "tasks"):
        if key[1] == "spec" and after is not None:
            # One that was made unreadable on purpose is no version.
            with suppress(ValueError):
                spec = task_spec.parse(plain_item(after))
                version = Version(at_us / 1000, spec, writers.get(at_us))
                journal.versions[key[0]].append(version)
        elif key[1] == "cursor" and before is not None and after is not None:
            journal.moves.append(Move(at_us / 1000, key[0], _cursor(before), _cursor(after)))
    _read_messages(world, journal)
    journal.loops = _loops(world, writers)
    return journal


def _read_bound(
    journal: Journal, at_ms: float, key: tuple[str, str], ends: tuple[Any, Any]
) -> None:
    """Reads what bounds runs of several tasks: a key's rate, a tenant's limit, its line."""
    (place, what), (before, after) = key, ends
    if what == RATE:
        # A turn that is taken is no booking: those that are booked stay as they are.
        if before is None or before["starts"] != after["starts"]:
            journal.bookings[place].append(plain(after["starts"])[-1])
    elif what == LIMIT:
        tenant_id, most = place.partition("#")[2], plain(after["most"]) if after else 0
        journal.limits.append(Limit(at_ms, most, tenant_id))
    elif what.startswith(LINE[0]):
        journal.lines[what.rpartition("#")[2]].append((at_ms, after is not None))


def _loops(world: World, writers: Mapping[int, Any]) -> dict[str, Begun]:
    return {
        key[1]: Begun(at_us / 1000, key[0], writers.get(at_us))
        for at_us, key, before in world.store.table("runs").rows._log  # noqa: SLF001  # its own log
        if before is None and key[0].startswith(_LOOPS)
    }


def writers_of(world: World) -> dict[int, Process]:
    """Returns which process acted at which moment; what the world does at the same moment is no
    act.
    """
    start_us = world.epoch_us() - world.now_us
    return {start_us + at_us: who for at_us, who, *_ in world.trace if who is not None}


def pairs(world: World, table: str) -> list[tuple[int, Any, Any, Any]]:
    """Returns each write with what was there before and what was there after it."""
    rows = world.store.table(table).rows
    following = dict(rows.items)
    pairs = []
    for at_us, key, before in reversed(rows._log):  # noqa: SLF001  # the store's own log
        pairs.append((at_us, key, before, following.get(key)))
        if before is None:
            following.pop(key, None)
        else:
            following[key] = before
    pairs.reverse()
    return pairs


def _seen(item: Any) -> Seen | None:
    if item is None:
        return None
    life = item["life"]["M"]
    return Seen(
        status=life["status"]["S"],
        reason=life["reason"]["S"] if "reason" in life else "",
        attempt=int(life["attempt"]["N"]),
        tv=int(life["tv"]["N"]),
        schedule_version=int(life["schedule_version"]["N"]),
        due_ms=int(life["due_ms"]["N"]),
        lease_ms=int(life["lease_ms"]["N"]),
        owner=life["owner"]["S"] if "owner" in life else "",
        range_to=item["range_to"]["S"] if "range_to" in item else "",
        range_count=int(item["range_count"]["N"]) if "range_count" in item else 0,
        mortal="expires_at" in item,
        fetched="pull" in item,
        attention=item["attention"]["S"] if "attention" in item else "",
        purged="purged_ms" in item,
        life=life,
    )


def _is_of_this_history(before: Any, after: Any, at_us: int, start_us: int) -> bool:
    """A write of a run's row, but for what TTL deletes, and what ended days ago."""
    if not (before or after) or not _readable(before) or not _readable(after):
        return False
    if after is None:
        over = "expires_at" in before and int(before["expires_at"]["N"]) < at_us // 1_000_000
        return not over
    ended = after["life"]["M"]["status"]["S"] in FINAL
    return not (before is None and ended and at_us == start_us)


def _readable(item: Any) -> bool:
    """Rows of runs only, and none that was made unreadable on purpose."""
    return item is None or ("life" in item and "tv" in item["life"]["M"])


def _held(at_us: int, item: Any) -> Held:
    lists = plain(item["lists"]) if item else {"holders": (), "waiting": ()}
    holders, waiting = tuple(lists["holders"]), tuple(lists["waiting"])
    return Held(at_us / 1000, holders, waiting, str(lists.get("since", "")))


def _cursor(item: Any) -> Mapping[str, Any]:
    names = ("next_run_at", "version", "due_shard", "runs_left")
    return {name: plain(item[name]) for name in names if name in item}


def _read_messages(world: World, journal: Journal) -> None:
    start_us = world.epoch_us() - world.now_us
    for now_us, _, operation, request, answer, _ in world.trace:
        if operation not in SENDS or not isinstance(answer, dict):
            continue
        taken = {one["Id"] for one in answer.get("Successful", ())}
        for entry in request.get("Entries", ()):
            if entry["Id"] in taken:
                for named in RUN_NAMED.findall(entry["MessageBody"]):
                    journal.sent_ms.setdefault(named, (start_us + now_us) / 1000)
    for change in journal.changes:
        if change.after and change.after.fetched:
            # Workers find it in their index: the claim is the send, where no message came before.
            sent_ms = journal.sent_ms.get(change.run_id, change.at_ms)
            journal.sent_ms[change.run_id] = min(sent_ms, change.at_ms)
