"""Planted faults that only an unkind world shows: freezes, wrong clocks, rows that vanish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lambdas import work
from onthedot.dispatch import due_tasks
from onthedot.records.runs import message_pack
from onthedot.records.runs.manifest import KEPT_SEC, Manifest
from onthedot.records.tasks import task_cursor
from onthedot.registry import calendar_edits
from onthedot.schedule import schedule
from onthedot.schedule.dst_stretches import Policy
from onthedot.store import siblings, table_reads
from onthedot.store.clock import CORRECTED_MAX_MS, Skew
from onthedot.work import decision_table, job
from tests.simulation import stage

Patch = tuple[Any, str, Any]


def strays_left() -> list[Patch]:
    """A worker answers while handlers of it go on."""
    return [(work, "handler_pool", SimpleNamespace(leave_no_strays=lambda: None))]


def waits_for_all() -> list[Patch]:
    """An attempt ends when its handler does, however long that takes."""
    return [(job, "ABANDON_SEC", 3_600)]


def hardly_corrected() -> list[Patch]:
    """A clock is corrected by no more than it may be off."""
    original: Any = Skew.__dict__["offset_never_early_ms"]

    def offset(self: Skew) -> int:
        most = CORRECTED_MAX_MS
        return int(max(-most, min(most, original.__get__(self))))

    return [(Skew, "offset_never_early_ms", property(offset))]


def as_corrected() -> list[Patch]:
    """Two clocks that were corrected differ by a second at most, and go on so."""
    return [(decision_table, "MARGIN_SEC", 3)]


def since_listed() -> list[Patch]:
    """A list is kept for three days since its runs were listed first, however often carried on."""
    original = Manifest.item

    def item(self: Manifest) -> dict[str, Any]:
        return original(self) | {"expires_at": self.since_ms // 1000 + KEPT_SEC}

    return [(Manifest, "item", item)]


def first_page() -> list[Patch]:
    """What lies behind a shard's first page waits until that has become shorter."""
    return [(table_reads, "due_pages", lambda *_: iter(()))]


def first_hundred() -> list[Patch]:
    """What is more than one read can hold is not read."""
    original = table_reads.get_many

    def get_many(keys: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        left, cut = table_reads.GET_MAX, {}
        for table, of_table in keys.items():
            cut[table] = of_table[:left]
            left -= len(cut[table])
        return original(cut)

    return [(table_reads, "get_many", get_many)]


def first_shards() -> list[Patch]:
    """A tick asks as many shards as it asks at once."""
    there: Any = stage
    original = there.dispatch
    return [(stage, "dispatch", lambda shards: original(shards[:32]))]


def one_sibling() -> list[Patch]:
    """Of what is handed over the first part is taken."""
    there: Any = siblings
    original = siblings.take
    return [(siblings, "take", lambda shards: original(shards[: there.SHARDS_AT_ONCE]))]


def _alike(place: int, word: str) -> list[Patch]:
    original = message_pack.packed

    def packed_alike(tickets: Iterable[tuple[Any, Any]]) -> Any:
        alike = [((*of[:place], word, *of[place + 1 :]), ticket) for of, ticket in tickets]
        return original(alike)

    return [(message_pack, "packed", packed_alike)]


def one_queue() -> list[Patch]:
    """Runs of all priorities are sent to one queue."""
    return _alike(0, "normal")


def one_tenant() -> list[Patch]:
    """Runs of all tenants go into one message."""
    return _alike(1, "acme")


def starred() -> list[Patch]:
    """Every schedule is taken for one that fires in an interval: no gap is caught up."""
    original = schedule.unpack

    def unpack(stored: bytes) -> Any:
        schedule = original(stored)
        return replace(schedule, policy=Policy(elapsed=True))

    return [(task_cursor, "_unpacked", unpack)]


def unwritten_yesterday() -> list[Patch]:
    """What today's release writes is asked of yesterday's items, too."""
    original = due_tasks.parse

    def parse(item: Mapping[str, Any] | None) -> Any:
        if item is not None and "at_ms" not in item:
            raise LookupError("at_ms")
        return original(item)

    return [(due_tasks, "parse", parse)]


def one_pass() -> list[Patch]:
    """Tasks that name a calendar are looked for once."""
    return [(calendar_edits, "PASSES", 1)]


def as_the_message_says() -> list[Patch]:
    """A run is bounded by the tenant that its message names, or by none."""

    def behind(one: Any) -> bool:
        return bool(one.run and one.task and one.run.life.tv > one.task.version)

    return [(job, "_behind", behind)]


# A name, the rule, the fault, and the histories in which it shows.
FAULTS: tuple[Any, ...] = (
    ("strays left", "no handler outlives its worker's answer", strays_left, ("deaf", "overtime")),
    ("waits for all", "an attempt ends when its time is over", waits_for_all, ("deaf",)),
    ("hardly corrected", "a clock is corrected, however wrong", hardly_corrected, ("astray",)),
    (
        "as corrected",
        "a clock may be set after it was corrected",
        as_corrected,
        ("clocks set",),
        189,
    ),
    ("first page", "what is behind a page is asked for", first_page, ("pages",)),
    ("first hundred", "what is too much for one read is read", first_hundred, ("crowd", "pages")),
    ("first shards", "a tick asks every shard", first_shards, ("shards",)),
    ("one sibling", "siblings take all that is handed over", one_sibling, ("siblings",)),
    ("one queue", "a message is in its priority's queue", one_queue, ("neighbours",)),
    ("one tenant", "a message is one tenant's", one_tenant, ("neighbours",)),
    ("starred", "what falls into a gap fires behind it", starred, ("spring",)),
    ("of today", "0174: yesterday's items are read", unwritten_yesterday, ("mixed",)),
    ("one pass", "an index is behind", one_pass, ("late indexes",), 215),
    ("as the message says", "a row says whose it is", as_the_message_says, ("nameless",)),
    ("since listed", "0173: a list outlives its minute", since_listed, ("expiring",)),
)
