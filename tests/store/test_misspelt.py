"""A statement that DynamoDB does not take is written in its other, documented form."""

from __future__ import annotations

import pytest

from onthedot.records.conditional_writes import Clause, Outcome, Update, statement
from onthedot.records.keys import item_key
from onthedot.store import conditional_writer, table_reads
from tests.simulation.stage import Stage

FIRST, SECOND = item_key("first", "-"), item_key("second", "-")


def counted(key: dict[str, str], seen: int) -> Update:
    return Update("runs", tuple(key.items()), (("count", 1),), (Clause.equal("count", seen),))


@pytest.fixture(autouse=True)
def _statements_are_refused(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stage.world
    for key in (FIRST, SECOND):
        table_reads.put("runs", {**key, "count": 0})

    def misspelt(write: Update, table: str) -> tuple[str, list[object]]:
        text, values = statement(write, table)
        return text.replace("SET", "PUT"), list(values)

    monkeypatch.setattr(conditional_writer, "statement", misspelt)


def test_each_write_is_done_or_refused_as_its_conditions_say() -> None:
    outcomes = conditional_writer.write_many([counted(FIRST, seen=0), counted(SECOND, seen=7)])

    assert outcomes == [Outcome.DONE, Outcome.REFUSED]
    assert [(table_reads.get("runs", key) or {})["count"] for key in (FIRST, SECOND)] == [1, 0]
