"""Lists schedules with dead runs. Those with the newest death come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from onthedot.api.door.full_pages import CHUNK, Walked, fill
from onthedot.api.door.request import tenant
from onthedot.api.schedules.filtered_pages import Entry, Item
from onthedot.api.views import schedule_filter
from onthedot.schedule.time.instants import HORIZON
from onthedot.store import tasks
from onthedot.upkeep import dead_letters
from onthedot.upkeep.dead_letter import Chosen, Letter

STATUS = "failing"
# The parts of a page's end: when the schedule's newest run died, and its task.
NAMES = ("died", "task_id")
_ALL = Chosen(from_ms=0, to_ms=HORIZON * 1000 - 1)
# Letters, and letters of one page: two pages of the index.
_LETTERS_MAX, _LETTERS_A_PAGE = 10_000, 5_000


def choose(
    entries: Callable[[Sequence[Item]], Sequence[Entry]],
    wanted: Mapping[str, str],
    *,
    limit: int,
    start: Item | None,
) -> tuple[list[Item], Item | None]:
    """Returns the schedules of a page, and the one after which the next page begins."""
    begun = (start["died"], start["task_id"]) if start else None
    newest = [each for each in _newest() if begun is None or _place(each) < begun]

    def read(size: int, begin: int) -> Walked[Letter]:
        end = begin + size
        return Walked(newest[begin:end], end if end < len(newest) else None)

    def show(letters: Sequence[Letter]) -> list[Item | None]:
        specs = _specs(letters)
        fitting = [
            item is not None and schedule_filter.holds(entries([item])[0], wanted) for item in specs
        ]
        return [item if fits else None for item, fits in zip(specs, fitting, strict=True)]

    found, after = fill(read, show, limit=limit, start=0, chunk=CHUNK if wanted else limit)
    if after is None:
        return found, None
    last = after if isinstance(after, Letter) else newest[after - 1]
    return found, dict(zip(NAMES, _place(last), strict=True))


def _newest() -> list[Letter]:
    """Returns the newest death of each schedule, the newest of all first."""
    found: dict[str, Letter] = {}
    walk = dead_letters.find(tenant(), _ALL, page=_LETTERS_A_PAGE)
    for letter in islice(walk, _LETTERS_MAX):
        if letter.task_id.startswith("sch_"):
            found.setdefault(letter.task_id, letter)
    return sorted(found.values(), key=_place, reverse=True)


def _place(letter: Letter) -> tuple[str, str]:
    return letter.died, letter.task_id


def _specs(letters: Sequence[Letter]) -> list[Item | None]:
    """Returns the specs. A deleted schedule is on no list any more, so it is left out."""
    found = tasks.specs(letter.task_id for letter in letters)
    listed = {task_id: spec for task_id, spec in found.items() if "listed" in spec}
    return [listed.get(letter.task_id) for letter in letters]
