"""The laws of what is written down: rows, lists of the audit, backfills."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.simulation import laws_backfills, laws_lists, laws_rows
from tests.simulation.journal import Journal
from tests.simulation.stage import Stage


def laws(stage: Stage, journal: Journal, *, purged: bool, audited: bool) -> Iterator[Iterable[str]]:
    if not purged and not stage.poisoned:
        yield laws_lists.named(stage, journal)
        if audited:
            yield laws_lists.sorted_in(stage, journal)
    yield laws_rows.born(journal)
    yield laws_rows.leased(stage, journal)
    yield laws_rows.told(stage, journal)
    yield laws_backfills.kept(stage, journal)
