"""Schedules of which runs are dead: those whose latest death is newest come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from onthedot.adapters import tables
from onthedot.adapters.tables import GET_MAX
from onthedot.api.asking import tenant
from onthedot.api.choosing import Entry, Item
from onthedot.core import filters
from onthedot.core import task as tasks
from onthedot.core.dead_letters import Chosen, Letter
from onthedot.core.instants import HORIZON
from onthedot.flows import dead_letters

STATUS = "failing"
# What the names of a page's end mean: when the schedule's newest run died, and whose it is.
NAMES = ("died", "task_id")
_ALL = Chosen(from_ms=0, to_ms=HORIZON * 1000 - 1)
# Two pages of the index.
_LETTERS_MAX, _LETTERS_A_PAGE = 10_000, 5_000


def choose(
    entries: Callable[[Sequence[Item]], Sequence[Entry]],
    wanted: Mapping[str, str],
    *,
    limit: int,
    start: Item | None,
) -> tuple[list[Item], Item | None]:
    """Give the schedules of a page, and behind which one the next begins."""
    begun = (start["died"], start["task_id"]) if start else None
    newest = [each for each in _newest() if begun is None or _place(each) < begun]
    fitting = (
        (letter, item)
        for letter, item in _with_specs(newest)
        if filters.holds(entries([item])[0], wanted)
    )
    found = list(islice(fitting, limit + 1))
    page = found[:limit]
    last = dict(zip(NAMES, _place(page[-1][0]), strict=True)) if len(found) > limit else None
    return [item for _, item in page], last


def _newest() -> list[Letter]:
    """Give each schedule's newest death, the newest of all first."""
    found: dict[str, Letter] = {}
    walk = dead_letters.find(tenant(), _ALL, page=_LETTERS_A_PAGE)
    for letter in islice(walk, _LETTERS_MAX):
        if letter.task_id.startswith("sch_"):
            found.setdefault(letter.task_id, letter)
    return sorted(found.values(), key=_place, reverse=True)


def _place(letter: Letter) -> tuple[str, str]:
    return letter.died, letter.task_id


def _with_specs(wanted: Sequence[Letter]) -> Iterator[tuple[Letter, Item]]:
    """Leave out what is on no list any more: a deleted schedule fails no more."""
    for first in range(0, len(wanted), GET_MAX):
        part = wanted[first : first + GET_MAX]
        keys = [tasks.spec_key(letter.task_id) for letter in part]
        specs = {
            item["task_id"]: item for item in tables.get_many({tasks.TABLE: keys})[tasks.TABLE]
        }
        for letter in part:
            if "listed" in specs.get(letter.task_id, ()):
                yield letter, specs[letter.task_id]
