"""Describes dead letters: which are chosen, which belong together, what a purge leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import item_key
from onthedot.records.runs import attention
from onthedot.records.runs.attempts import all_of
from onthedot.records.runs.run_row import TABLE, Life, Run
from onthedot.schedule.time.instants import moment

KIND = "dead"
DeathReason = Literal[
    "attempts_exhausted",
    "permanent",
    "handler_not_found",
    "target_forbidden",
    "payload_unreadable",
    "undeliverable",
]


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead run as the attention index shows it."""

    task_id: str
    key: str
    died: str
    reason: str
    fingerprint: str

    @property
    def died_ms(self) -> int:
        """Returns when its end was written."""
        return int(self.died.partition("#")[0])

    @property
    def row(self) -> dict[str, str]:
        """Returns the key of its row."""
        return item_key(self.task_id, self.key)


def parse(item: Mapping[str, Any]) -> Letter:
    """Reads an entry of the index."""
    reason = item.get("reason", "")
    return Letter(
        task_id=item["task_id"],
        key=item["scheduled_for"],
        died=item["attention_at"],
        reason=reason,
        fingerprint=item.get("error_fp", reason),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which are chosen: all given fields must match. The run died between both times."""

    task_id: str | None = None
    fingerprint: str | None = None
    reason: str | None = None
    from_ms: int
    to_ms: int

    def holds(self, letter: Letter) -> bool:
        """Tells whether a dead letter is chosen."""
        fits = (
            (self.task_id, letter.task_id),
            (self.fingerprint, letter.fingerprint),
            (self.reason, letter.reason),
        )
        return all(wanted in (None, found) for wanted, found in fits)

    @property
    def filtered(self) -> bool:
        """Tells whether any field besides the times excludes some."""
        return any((self.task_id, self.fingerprint, self.reason))

    @property
    def between(self) -> tuple[str, str]:
        """Returns the part of the index in which they lie."""
        return f"{self.from_ms:013}", f"{self.to_ms:013}~"

    def as_json(self) -> dict[str, Any]:
        """Writes it for a bulk operation."""
        given = {name: getattr(self, name) for name in Chosen.__slots__}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(slots=True)
class Group:
    """Dead letters of one error."""

    newest: Letter
    first_ms: int
    count: int = 0


def groups(letters: Iterable[Letter]) -> list[Group]:
    """Groups similar letters, the largest group first. `letters` has the newest first."""
    found: dict[str, Group] = {}
    for letter in letters:
        group = found.setdefault(letter.fingerprint, Group(letter, letter.died_ms))
        group.count += 1
        group.first_ms = min(group.first_ms, letter.died_ms)
    return sorted(found.values(), key=lambda group: -group.count)


def group_view(group: Group, sample: Run | None) -> dict[str, Any]:
    """Shows a group by its newest letter."""
    end = sample.life.end if sample else None
    error: Mapping[str, Any] = (end and end.error) or {}
    return {
        "fingerprint": group.newest.fingerprint,
        "reason": group.newest.reason,
        "type": error.get("type"),
        "message": error.get("message"),
        "count": group.count,
        "first_at": moment(group.first_ms),
        "last_at": moment(group.newest.died_ms),
        "sample_run_id": sample.run_id if sample else None,
    }


def digest(letters: Iterable[Letter]) -> str:
    """Returns a text that tells one choice from another."""
    told = "\n".join(f"{letter.task_id} {letter.key} {letter.died}" for letter in letters)
    return sha256(told.encode()).hexdigest()


def purged(run: Run, *, now_ms: int) -> Update:
    """Removes its input and its output. That it died, when and why stays."""
    return Update(
        TABLE,
        (("task_id", run.task_id), ("scheduled_for", run.key)),
        (("life", _emptied(run.life).stored()), ("purged_ms", now_ms)),
        (Clause.equal("life.status", KIND), Clause.equal("life.attempt", run.life.starts)),
        removes=attention.NAMES,
    )


def _emptied(life: Life) -> Life:
    """Removes the error. It first records how the newest attempt ended, which the error tells."""
    told = tuple(
        {name: value for name, value in one.items() if name != "error"} for one in all_of(life)
    )
    end = replace(life.its_end, error=None, result=None)
    return replace(life, end=end, progress=None, checkpoint=None, attempts=told)
