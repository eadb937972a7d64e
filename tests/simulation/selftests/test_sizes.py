"""Histories of other sizes, and of two releases, come to what they are made for."""

from __future__ import annotations

from onthedot.records import keys
from onthedot.store import conditional_writer, table_reads
from tests.simulation.histories import history
from tests.simulation.machine.trace import Entry
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.sizes import Sizes, applied


def _calls(profile: str, operation: str) -> list[Entry]:
    trace = history(ALL[profile], 1).world.trace
    return [entry for entry in trace if entry[2] == operation]


def test_sizes_hold_while_they_are_applied_and_no_longer() -> None:
    before = (table_reads.GET_MAX, conditional_writer.BATCH, keys.SHARDS)

    with applied(Sizes(got_at_once=2, batch=3, shards=1)):
        assert (table_reads.GET_MAX, conditional_writer.BATCH, keys.SHARDS) == (2, 3, 1)

    assert (table_reads.GET_MAX, conditional_writer.BATCH, keys.SHARDS) == before == (100, 25, 256)


def test_a_shard_has_more_due_tasks_than_a_page() -> None:
    answers = [entry[4] for entry in _calls("pages", "query") if entry[3].get("IndexName") == "due"]

    assert any("LastEvaluatedKey" in answer for answer in answers)


def test_a_crowd_fills_a_batch_of_writes_and_a_read_of_a_hundred() -> None:
    written = [len(entry[3]["Statements"]) for entry in _calls("crowd", "batch_execute_statement")]
    read = [
        sum(len(one["Keys"]) for one in entry[3]["RequestItems"].values())
        for entry in _calls("crowd", "batch_get_item")
    ]

    assert max(written) == 25
    assert max(read) == 100


def test_every_shard_is_asked_at_each_tick() -> None:
    asked = [entry[3]["ExpressionAttributeValues"] for entry in _calls("shards", "query")]

    assert {one[":s"]["N"] for one in asked if ":s" in one} == {str(n) for n in range(256)}


def test_a_dispatcher_that_has_seen_much_calls_siblings() -> None:
    assert _calls("siblings", "invoke")


def test_both_releases_write_in_a_mixed_history() -> None:
    puts = [entry[3]["Item"] for entry in _calls("mixed", "put_item")]
    backlogs = ["at_ms" in item for item in puts if item["task_id"] == {"S": "backlog"}]

    assert not backlogs[0]
    assert backlogs[-1]
