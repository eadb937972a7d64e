"""Fifty threads, one claim: one winner, and nothing lost, on every engine and in every spelling."""

from __future__ import annotations

import pytest

from onthedot.records.conditional_writes import Clause, Insert, Outcome, Update
from onthedot.records.runs import run_writes
from onthedot.store import conditional_writer, table_reads
from tests.engines.place import at_once, rows
from tests.engines.tasks import SLOT, claimed

THREADS = 50
SLOTS = [SLOT + 60 * each for each in range(30)]
KEY = ("task_id", "part")


@pytest.mark.usefixtures("place")
def test_of_fifty_that_claim_thirty_slots_each_slot_has_one_winner() -> None:
    def claim(owner: int) -> list[Outcome]:
        runs = [claimed(f"{owner}", slot) for slot in SLOTS]
        return conditional_writer.write_many([run_writes.insert(run, now_ms=0) for run in runs])

    outcomes = at_once(THREADS, claim)
    winners = [
        [owner for owner in range(THREADS) if outcomes[owner][slot] is Outcome.DONE]
        for slot in range(len(SLOTS))
    ]
    found = [run.life.claim and run.life.claim.by for run in rows("sch_A").values()]

    assert [[str(owner) for owner in of_slot] for of_slot in winners] == [[one] for one in found]
    assert {outcome for of_owner in outcomes for outcome in of_owner} == {
        Outcome.DONE,
        Outcome.REFUSED,
    }


@pytest.mark.usefixtures("place")
def test_of_fifty_that_put_one_item_one_wins() -> None:
    outcomes = at_once(
        THREADS,
        lambda owner: conditional_writer.write_one(
            run_writes.insert(claimed(f"{owner}"), now_ms=0)
        ),
    )
    (run,) = rows("sch_A").values()

    assert outcomes.count(Outcome.DONE) == 1
    assert outcomes.count(Outcome.REFUSED) == THREADS - 1
    assert run.life.claim
    assert outcomes[int(run.life.claim.by)] is Outcome.DONE


@pytest.mark.usefixtures("place")
def test_of_fifty_that_write_two_items_together_one_wins_both() -> None:
    def both(owner: int) -> bool:
        parts = [{"task_id": "sch_A", "part": part, "owner": owner} for part in ("cursor", "spec")]
        return (
            conditional_writer.write_together([Insert("tasks", item, KEY) for item in parts])
            is Outcome.DONE
        )

    won = at_once(THREADS, both)
    keys = [{"task_id": "sch_A", "part": part} for part in ("cursor", "spec")]
    found = table_reads.get_many({"tasks": keys})["tasks"]

    assert won.count(True) == 1
    assert [item["owner"] for item in found] == [won.index(True)] * 2


@pytest.mark.parametrize("spelled", ["one", "many", "together"])
@pytest.mark.usefixtures("place")
def test_a_version_counts_exactly_the_writes_that_won(spelled: str) -> None:
    table_reads.put("tasks", {"task_id": "sch_A", "part": "spec", "version": 1})
    key = {"task_id": "sch_A", "part": "spec"}

    def bump(_: int) -> int:
        won = 0
        for _ in range(4):
            item = table_reads.get("tasks", key)
            assert item is not None
            write = Update(
                "tasks",
                tuple(key.items()),
                (("version", item["version"] + 1),),
                (Clause.equal("version", item["version"]),),
            )
            match spelled:
                case "one":
                    won += conditional_writer.write_one(write) is Outcome.DONE
                case "many":
                    won += conditional_writer.write_many([write]) == [Outcome.DONE]
                case _:
                    won += conditional_writer.write_together([write]) is Outcome.DONE
        return won

    wins = at_once(16, bump)

    assert table_reads.get("tasks", key) == key | {"version": 1 + sum(wins)}
