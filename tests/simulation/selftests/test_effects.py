"""Every fault, aimed at one effect: what is done, what the process is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.machine.journal import pairs, writers_of
from tests.simulation.machine.world import World
from tests.simulation.play.small_world import NOTES, get, insert, make_world, put, send, stored


def after(
    work: Callable[[World], Any], operation: str, fault: Fault, nth: int = 0, **more: Any
) -> tuple[World, Any]:
    """Returns the world, and what became of the process: its result or the error that ended it."""
    world = make_world(aims=[Aim("p#0", operation, nth, fault, **more)])
    process = world.spawn("p", lambda: work(world))
    world.run(1_000)
    return world, "dead" if process.dead else process.error or process.result


@pytest.mark.parametrize(
    ("fault", "outcome", "left"),
    [
        (Fault.CRASH_BEFORE, "dead", ""),
        (Fault.CRASH_AFTER, "dead", "x"),
        (Fault.LOST, ReadTimeoutError, "x"),
        (Fault.REFUSED, EndpointConnectionError, ""),
        (Fault.THROTTLED, ClientError, ""),
        (Fault.STALL_BEFORE, type(None), "xy"),
        (Fault.STALL_AFTER, type(None), "xy"),
        (Fault.REPEATED, type(None), "xy"),
    ],
)
def test_a_fault_at_an_effect(fault: Fault, outcome: Any, left: str) -> None:
    def work(world: World) -> None:
        put(world, "x")
        put(world, "y")

    world, end = after(work, "put_item", fault)

    assert stored(world) == left
    assert end == outcome if isinstance(outcome, str) else isinstance(end, outcome)
    assert world.bugs() == []


def test_a_fault_can_hit_the_nth_effect() -> None:
    def work(world: World) -> None:
        for sk in "xyz":
            put(world, sk)

    world, end = after(work, "put_item", Fault.CRASH_AFTER, nth=1)

    assert (stored(world), end) == ("xy", "dead")


def test_the_retry_of_a_lost_insert_meets_itself() -> None:
    world, end = after(
        lambda world: world.dynamodb.batch_execute_statement(Statements=[insert("x")]),
        "batch_execute_statement",
        Fault.REPEATED,
    )

    assert stored(world) == "x"
    assert end["Responses"][0]["Error"]["Code"] == "DuplicateItem"


def test_a_crash_hides_even_a_refusal() -> None:
    def work(world: World) -> None:
        put(world, "x")
        put(world, "x", ConditionExpression="attribute_not_exists(pk)")

    _, end = after(work, "put_item", Fault.CRASH_AFTER, nth=1)

    assert end == "dead"


@pytest.mark.parametrize("fault", [Fault.STALL_BEFORE, Fault.STALL_AFTER])
def test_a_stalled_process_goes_on_where_it_was(fault: Fault) -> None:
    def work(world: World) -> int:
        put(world, "x")
        return world.now_us

    world, end = after(work, "put_item", fault, stall_sec=100)

    assert 100_000_000 < end < 101_000_000
    done_at = next(at for at, _, operation, *_ in world.trace if operation == "put_item")
    assert (done_at > 100_000_000) == (fault is Fault.STALL_BEFORE)


def test_a_part_of_a_batch_of_statements_is_throttled() -> None:
    world, end = after(
        lambda world: world.dynamodb.batch_execute_statement(
            Statements=[insert(sk) for sk in "abcdef"]
        ),
        "batch_execute_statement",
        Fault.PARTIAL,
    )
    refused = [sk for sk, one in zip("abcdef", end["Responses"], strict=True) if "Error" in one]

    assert 0 < len(refused) < 6
    assert "".join(sk for sk in "abcdef" if sk not in refused) == stored(world)
    codes = {one["Error"]["Code"] for one in end["Responses"] if "Error" in one}
    assert codes == {"ThrottlingError"}


def test_a_part_of_the_keys_is_unprocessed() -> None:
    keys = [{"pk": {"S": "a"}, "sk": {"S": sk}} for sk in "abcd"]

    def work(world: World) -> Any:
        for sk in "abcd":
            put(world, sk)
        wanted = {"notes": {"Keys": keys, "ConsistentRead": True}}
        return world.dynamodb.batch_get_item(RequestItems=wanted)

    _, end = after(work, "batch_get_item", Fault.PARTIAL)
    found = {item["sk"]["S"] for item in end["Responses"]["notes"]}
    left = {key["sk"]["S"] for key in end["UnprocessedKeys"]["notes"]["Keys"]}

    assert found | left == set("abcd")
    assert not found & left
    assert left
    assert end["UnprocessedKeys"]["notes"]["ConsistentRead"] is True


def test_a_part_of_the_messages_fails() -> None:
    world, end = after(lambda world: send(world, *"abcd"), "send_message_batch", Fault.PARTIAL)
    accepted = {one["Id"] for one in end["Successful"]}
    failed = {one["Id"] for one in end["Failed"]}

    assert accepted | failed == set("0123")
    assert failed
    assert len(world.queues.queue("work").messages) == len(accepted)


def test_a_torn_batch_is_done_in_part_and_nobody_knows_which() -> None:
    world, end = after(
        lambda world: world.dynamodb.batch_execute_statement(
            Statements=[insert(sk) for sk in "abcdef"]
        ),
        "batch_execute_statement",
        Fault.TORN,
    )

    assert isinstance(end, ReadTimeoutError)
    assert 0 < len(stored(world)) < 6


def test_others_act_between_the_halves_of_a_batch() -> None:
    aim = Aim("p#0", "batch_execute_statement", 0, Fault.SPLIT)
    world = make_world(profile=Profile(latency_ms=(10, 10)), aims=[aim])
    process = world.spawn(
        "p",
        lambda: world.dynamodb.batch_execute_statement(Statements=[insert(sk) for sk in "abcd"]),
    )
    seen: list[str] = []
    world.call_at(0.015, lambda: seen.append(stored(world)))
    world.run(1)

    assert 0 < len(seen[0]) < 4
    assert stored(world) == "abcd"
    assert [one.get("Error") for one in process.result["Responses"]] == [None] * 4
    assert {writers_of(world).get(at_us) for at_us, *_ in pairs(world, NOTES)} == {process}


def test_what_is_written_by_a_process_that_is_killed_at_once_has_its_writer() -> None:
    aim = Aim("p#0", "put_item", 0, Fault.CRASH_AFTER)
    world = make_world(aims=[aim])
    process = world.spawn("p", lambda: put(world, "a"))
    process.ended = lambda _: world.note("killed", "p#0: its whole ended")
    world.run(1)

    ((at_us, *_),) = pairs(world, NOTES)
    assert writers_of(world)[at_us] is process


def test_a_transaction_conflicts() -> None:
    def work(world: World) -> Any:
        item = {"pk": {"S": "a"}, "sk": {"S": "x"}}
        return world.dynamodb.transact_write_items(
            TransactItems=[{"Put": {"TableName": "notes", "Item": item}}]
        )

    world, end = after(work, "transact_write_items", Fault.CONFLICT)

    assert end.response["CancellationReasons"][0]["Code"] == "TransactionConflict"
    assert stored(world) == ""


def test_a_target_is_an_effect_like_the_others() -> None:
    called: list[str] = []

    def work(world: World) -> None:
        world.act("deliver", lambda **given: called.append(given["run"]), run="r1")
        put(world, "x")

    world, end = after(work, "deliver", Fault.CRASH_AFTER)

    assert (called, stored(world), end) == (["r1"], "", "dead")
    assert world.effects()[0].operation == "deliver"


def test_faults_end_when_the_profile_says() -> None:
    profile = Profile(crash_before=1.0, faults_until_sec=10)
    world = make_world(profile=profile)
    early = world.spawn("early", lambda: put(world, "x"))
    late = world.spawn("late", lambda: put(world, "y"), at_sec=10)
    world.run(20)

    assert early.dead
    assert not late.dead


def test_there_are_no_more_faults_than_allowed() -> None:
    world = make_world(profile=Profile(crash_before=1.0, faults_max=3))
    for number in range(10):
        world.spawn("p", partial(put, world, str(number)))
    world.run(1)

    assert sum(process.dead for process in world.processes) == 3


def test_a_stale_index_read_shows_what_was() -> None:
    profile = Profile(stale=1.0, stale_ms=(1_000, 1_000))
    world = make_world(profile=profile)
    seen: list[list[str]] = []

    def look() -> None:
        answer = world.dynamodb.query(
            TableName="notes",
            IndexName="by_group",
            KeyConditionExpression="#g=:g",
            ExpressionAttributeNames={"#g": "group"},
            ExpressionAttributeValues={":g": {"S": "g"}},
        )
        seen.append([item["sk"]["S"] + item["n"]["N"] for item in answer["Items"]])

    def write() -> None:
        put(world, "a", 1)
        world.clock.sleep(2)
        put(world, "a", 2)
        put(world, "b", 1)

    world.spawn("write", write)
    for at_sec in (0.5, 1.5, 2.5, 3.5):
        world.spawn("look", look, at_sec=at_sec)
    world.run(10)

    assert seen == [[], ["a1"], ["a1"], ["a2", "b1"]]
    assert get(world, "a") is not None


def test_a_consistent_read_is_never_stale() -> None:
    world = make_world(profile=Profile(stale=1.0, stale_ms=(60_000, 60_000)))
    seen: list[Any] = []

    def work() -> None:
        put(world, "a", 1)
        seen.append(get(world, "a"))

    world.spawn("p", work)
    world.run(1)

    assert seen[0]["n"] == {"N": "1"}


def test_a_page_may_be_shorter_than_asked() -> None:
    world = make_world(profile=Profile(short_page=1.0))
    for sk in "abcdefgh":
        put(world, sk)
    found: list[str] = []
    pages: list[int] = []

    def read() -> None:
        start: dict[str, Any] = {}
        while True:
            answer = world.dynamodb.query(
                TableName="notes",
                KeyConditionExpression="pk=:p",
                ExpressionAttributeValues={":p": {"S": "a"}},
                **start,
            )
            found.extend(item["sk"]["S"] for item in answer["Items"])
            pages.append(answer["Count"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    world.spawn("read", read)
    world.run(10)

    assert "".join(found) == "abcdefgh"
    assert max(pages) <= 3


def test_the_retry_of_a_lost_transaction_changes_nothing() -> None:
    def work(world: World) -> Any:
        put(world, "x", 1)
        update = {
            "TableName": "notes",
            "Key": {"pk": {"S": "a"}, "sk": {"S": "x"}},
            "UpdateExpression": "ADD n :one",
            "ConditionExpression": "n = :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        return world.dynamodb.transact_write_items(TransactItems=[{"Update": update}])

    world, end = after(work, "transact_write_items", Fault.REPEATED)

    assert "ResponseMetadata" in end
    assert (get(world, "x") or {})["n"] == {"N": "2"}


@pytest.mark.parametrize("operation", ["send_message_batch", "put_item"])
def test_each_queue_and_table_has_its_own_word_for_throttling(operation: str) -> None:
    def work(world: World) -> None:
        put(world, "x")
        send(world, "a")

    _, end = after(work, operation, Fault.THROTTLED)

    sqs, dynamodb = "RequestThrottled", "ProvisionedThroughputExceededException"
    assert end.response["Error"]["Code"] == (sqs if operation.startswith("send") else dynamodb)
