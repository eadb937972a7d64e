"""Our own writes: one statement, one item and one transaction refuse and accept the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from onthedot.records import schema
from onthedot.records.conditional_writes import Outcome, Write
from onthedot.store import aws, conditional_writer, table_reads
from tests.contract.writes import CASES, Case, Try, key_of, tries

SPELLINGS: dict[str, Callable[[Write], Outcome]] = {
    "statement": lambda write: conditional_writer.write_batch([write])[0],
    "expression": conditional_writer.write_one,
    "transaction": lambda write: conditional_writer.write_together([write]),
}
TABLES = {"tasks": schema.TASKS, "runs": schema.RUNS}


@pytest.fixture
def _our_tables(dynamodb: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(aws, "client", lambda _service: dynamodb)
    for table, declared in TABLES.items():
        monkeypatch.setenv(f"{table.upper()}_TABLE", f"our-{table}")
        dynamodb.create_table(**schema.creation(declared, f"our-{table}"))
    # A statement that the engine does not take would be written in another way, and agree.
    monkeypatch.setattr(conditional_writer, "_write_alone", _not_needed)
    yield
    for table in TABLES:
        dynamodb.delete_table(TableName=f"our-{table}")


def _not_needed(write: Write) -> Outcome:
    raise AssertionError(f"the engine does not take the statement of {write}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.usefixtures("_our_tables")
def test_all_spellings_agree_wherever_a_clause_is_broken(case: Case) -> None:
    for one in tries(case):
        results = {name: _result(one, write) for name, write in SPELLINGS.items()}

        assert all(each == results["statement"] for each in results.values()), (one.name, results)
        outcome, item = results["statement"]
        assert outcome is (Outcome.DONE if one.wins else Outcome.REFUSED), one.name
        assert one.wins or item == one.item, one.name


def _result(one: Try, write: Callable[[Write], Outcome]) -> tuple[Outcome, Any]:
    """Returns what became of the write and of the item."""
    table, key = one.write.table, key_of(one.write)
    table_reads.delete(table, key)
    if one.item is not None:
        table_reads.put(table, one.item)
    outcome = write(one.write)
    return outcome, table_reads.get(table, key)
