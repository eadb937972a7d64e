"""Compare and set: what another writes between the read and the write is never lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.keys import item_key
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import conditional_writer, table_reads
from onthedot.store.conditional_writer import Decision
from tests.simulation.stage import Stage

KEY = item_key("counted", "-")


@pytest.fixture(autouse=True)
def _counted(stage: Stage) -> None:
    assert stage.world
    table_reads.put("runs", {**KEY, "count": 0, "rev": 0})


def count() -> int:
    item = table_reads.get("runs", KEY)
    assert item is not None
    return int(item["count"])


def one_more(seen: int) -> Update:
    sets, as_seen = (("count", seen + 1),), (Clause.equal("count", seen),)
    return Update("runs", tuple(KEY.items()), sets, as_seen)


def counted_meanwhile(times: int) -> Callable[[int], Decision[int]]:
    """Decides to count on; so many times another counts between the read and the write."""
    left = iter(range(times))

    def decide(seen: int) -> Decision[int]:
        if next(left, None) is not None:
            conditional_writer.write_one(one_more(seen))
        return Decision(seen + 1, one_more(seen))

    return decide


@pytest.mark.parametrize("others", [0, 1, 3])
def test_what_others_write_meanwhile_is_not_lost(others: int) -> None:
    result = conditional_writer.compare_and_set(
        read=count, decide=counted_meanwhile(others), tries=4, what="it"
    )

    assert result == count() == others + 1


def test_an_item_that_changes_at_each_try_is_left_to_the_caller() -> None:
    with pytest.raises(BusyError, match="it kept changing under 4 tries"):
        conditional_writer.compare_and_set(
            read=count, decide=counted_meanwhile(4), tries=4, what="it"
        )

    assert count() == 4


def test_a_decision_without_a_write_is_taken_as_it_is() -> None:
    decided = conditional_writer.compare_and_set(
        read=count, decide=lambda seen: Decision(f"saw {seen}"), tries=1, what="it"
    )

    assert decided == "saw 0"
    assert count() == 0


def test_parts_are_written_together_or_not_at_all() -> None:
    beside = Insert("runs", {**item_key("beside", "-"), "count": 1}, ("task_id", "scheduled_for"))
    decide = counted_meanwhile(1)

    def with_another(seen: int) -> Decision[int]:
        decided = decide(seen)
        return Decision(decided.result, [one_more(seen), beside])

    conditional_writer.compare_and_set(read=count, decide=with_another, tries=2, what="it")

    assert count() == 2
    assert table_reads.get("runs", item_key("beside", "-")) is not None
