"""The laws of what is written down: rows, lists of the audit, backfills."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from tests.simulation.laws.requests import laws_backfills
from tests.simulation.laws.running import laws_history, laws_rows
from tests.simulation.laws.upkeep import laws_lists
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage


class _Measure(Protocol):
    """What of it depends on the kind of history."""

    @property
    def purged(self) -> bool: ...
    @property
    def audited(self) -> bool: ...
    @property
    def mixed(self) -> bool: ...


def laws(stage: Stage, journal: Journal, measure: _Measure) -> Iterator[Iterable[str]]:
    if not measure.purged and not stage.poisoned:
        yield laws_lists.named(stage, journal)
        # The lists of yesterday's release are kept and sorted by its own rules.
        if not measure.mixed:
            yield laws_lists.formed(stage)
        if measure.audited and not measure.mixed:
            yield laws_lists.sorted_in(stage, journal)
    yield laws_rows.born(journal)
    yield laws_rows.leased(stage, journal)
    yield laws_rows.long(stage, journal)
    yield laws_rows.told(stage, journal)
    yield laws_backfills.kept(stage, journal)
    yield laws_history.obeyed(stage, journal, mixed=measure.mixed)
