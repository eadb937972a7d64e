"""The messages of one invocation: what is passed on, struck off, and deleted at once."""

from __future__ import annotations

import json
from typing import Any

from onthedot.records.runs.message_pack import Ticket
from onthedot.work.batch import Batch, received
from tests.simulation.calm import NOON
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.stores.sqs import record

SOME, OTHER, STRUCK = (Ticket(f"sch_A.20261118T12000{n}Z", 1, 1) for n in range(3))


def _batch(stage: Stage, *packs: tuple[Ticket, ...]) -> Batch:
    """Returns messages as a worker is handed them."""
    queue = stage.world.queues.queue("normal")
    for tickets in packs:
        runs = [{"run_id": one.run_id, "attempt": one.attempt, "tv": one.tv} for one in tickets]
        queue.send(
            json.dumps({"v": 1, "due_ms": NOON * 1000, "why": "start", "runs": runs}), 0, "acme"
        )
    taken = queue.receive(10, 60)
    return received({"Records": [record(message, queue) for message in taken]})


def _left(stage: Stage) -> list[tuple[list[str], bool]]:
    """Returns the runs of each message that is there, and whether a worker may have it now."""
    queue = stage.world.queues.queue("normal")
    return [
        ([run["run_id"] for run in json.loads(one.body)["runs"]], one.visible_us <= queue.now_us())
        for one in queue.messages.values()
    ]


def test_what_is_passed_on_has_a_message_of_its_own_at_once_and_its_old_one_is_gone() -> None:
    stage = make_stage(1)
    with staged(stage):
        batch = _batch(stage, (SOME,))
        batch.pass_on([SOME])

    assert _left(stage) == [([SOME.run_id], True)]
    assert batch.failures() == {"batchItemFailures": []}


def test_a_pack_of_which_one_run_is_passed_on_stays_for_the_other() -> None:
    stage = make_stage(1)
    with staged(stage):
        batch = _batch(stage, (SOME, OTHER))
        batch.pass_on([SOME])

    assert _left(stage) == [([SOME.run_id, OTHER.run_id], False), ([SOME.run_id], True)]
    assert [message.owes for message in batch.messages] == [{OTHER.run_id}]


def test_what_no_message_owes_any_more_is_not_passed_on() -> None:
    stage = make_stage(1)
    with staged(stage):
        batch = _batch(stage, (SOME, STRUCK))
        batch.done([STRUCK.run_id])
        batch.pass_on([SOME, STRUCK])

    assert _left(stage) == [([SOME.run_id], True)]


def test_what_sqs_does_not_take_is_still_owed() -> None:
    deaf = Outage(from_sec=0, for_sec=60, queue="normal")
    stage = make_stage(1, Profile(outages=(deaf,)))
    batches: list[Batch] = []

    def work() -> dict[str, Any]:
        batches.append(_batch(stage, (SOME,)))
        batches[0].pass_on([SOME])
        return batches[0].failures()

    with staged(stage):
        stage.world.spawn("work", work)
        stage.world.run(10)

    assert [message.owes for message in batches[0].messages] == [{SOME.run_id}]
    assert _left(stage) == [([SOME.run_id], False)]


def test_a_pack_of_whose_parts_sqs_took_none_comes_back_and_one_that_it_took_does_not() -> None:
    deaf = Outage(from_sec=0, for_sec=60, queue="normal")
    for outages, failed in (((deaf,), 1), ((), 0)):
        stage = make_stage(1, Profile(outages=outages))
        answers: list[dict[str, Any]] = []
        left: list[Batch] = []

        def work() -> None:
            batch = _batch(stage, (SOME, OTHER))  # noqa: B023  # run in this very round
            batch.messages[0].receives = 2
            batch.split()
            answers.append(batch.failures())  # noqa: B023
            left.append(batch)  # noqa: B023

        with staged(stage):
            stage.world.spawn("work", work)
            stage.world.run(10)

        assert [len(each["batchItemFailures"]) for each in answers] == [failed]
        assert left[0].messages == []
        assert len(_left(stage)) == (1 if failed else 2)


def test_a_message_is_deleted_once() -> None:
    """Each call of SQS has its price."""
    stage = make_stage(1)

    def work() -> None:
        batch = _batch(stage, (SOME,), (OTHER,))
        for one in (SOME, OTHER):
            batch.done([one.run_id])
            batch.delete_done()
        batch.delete_done()

    with staged(stage):
        stage.world.spawn("work", work)
        stage.world.run(10)

    asked = [entry[3] for entry in stage.world.trace if entry[2] == "delete_message_batch"]
    assert [len(each["Entries"]) for each in asked] == [1, 1]
    assert _left(stage) == []
