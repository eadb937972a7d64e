"""Which histories to play first: those that tell most of the code that others told little of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from heapq import heapify, heappop, heapreplace

from tests.mutation.reached import Point

History = tuple[str, int]


def in_order(
    reached: Mapping[History, frozenset[Point]], effects: Mapping[History, int]
) -> list[History]:
    """Gives all of them, the one with most news for its effects first.

    Each time a statement was reached before halves what it counts, so that statements which few
    histories reach come early, and come again with another seed.
    """
    told: Counter[Point] = Counter()

    def news(history: History) -> float:
        return sum(0.5 ** told[point] for point in reached[history]) / max(1, effects[history])

    # What a history has to tell only falls: it is counted again when it comes to the front.
    waiting = [(-news(history), history) for history in reached]
    heapify(waiting)
    order: list[History] = []
    while waiting:
        _, history = waiting[0]
        now = -news(history)
        if len(waiting) > 1 and now > min(waiting[1:3])[0]:
            heapreplace(waiting, (now, history))
            continue
        heappop(waiting)
        order.append(history)
        told.update(reached[history])
    return order
