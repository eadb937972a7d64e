"""Laws of AWS's services as targets: what each was told, what it said, and what became of that."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.keys import payload_key, row_of
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import ABANDON_SEC
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done
from tests.simulation.laws.running.laws_words import Attempt, disturbed, ends_of
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.outside import contents
from tests.simulation.outside.aws_targets import FIFO_SEC, TYPES
from tests.simulation.outside.outside import Receipt
from tests.simulation.profiles.running.kinds_targets import DOOMED
from tests.simulation.stage import Delivery, Stage

# A clock that is corrected, and a call's own time.
_EDGE_MS = 2_500
_FIELDS = {
    "sqs": "queue_url",
    "sns": "topic_arn",
    "lambda": "function_arn",
    "eventbridge": "bus",
}


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    doomed = any(task.name in DOOMED for task in stage.tasks)
    if not (stage.outside.receipts or stage.world.bucket.ever or doomed):
        return
    yield from _addressed(stage)
    yield from _told(stage, journal)
    yield from _suppressed(stage)
    yield from _believed(stage, journal)
    yield from _patient(stage, journal)
    yield from _doomed(stage, journal)
    yield from _gone(stage, journal)


def _addressed(stage: Stage) -> Iterator[str]:
    """Checks each call goes where its task says, and names its run and attempt as the docs say."""
    for receipt in stage.outside.receipts:
        task = stage.task_of(receipt.run_id)
        if receipt.address != task.target[_FIELDS[task.target["type"]]]:
            yield f"led astray: {receipt.run_id} called {receipt.address}"
        if wanted := dict(_named(receipt, task)):
            said = _words(receipt)
            wrong = {name: said.get(name) for name in wanted if said.get(name) != wanted[name]}
            more = {"dedup", "group"} & said.keys() - wanted.keys()
            if wrong or more:
                yield f"misnamed: {receipt.run_id} called {receipt.service} as {wrong or more}"


def _named(receipt: Receipt, task: Task) -> list[tuple[str, str]]:
    """Returns what a call is to say of its run; an event for a function says nothing."""
    said = [("run_id", receipt.run_id), ("attempt", str(receipt.attempt))]
    fifo, group = receipt.address.endswith(".fifo"), task.target.get("group_id")
    match task.target["type"]:
        case "sqs" | "sns":
            said += [("dedup", receipt.run_id), ("group", group or task.task_id)] if fifo else []
            said += [("group", group)] if group else []
        case "eventbridge":
            said += [
                ("source", task.target.get("source", "onthedot")),
                ("type", task.target.get("detail_type", "onthedot.run.v1")),
            ]
        case "lambda" if task.target.get("mode") == "async":
            return []
    return said


def _words(receipt: Receipt) -> dict[str, str]:
    """Returns what it said."""
    request = receipt.request
    match receipt.service:
        case "lambda":
            told = json.loads(base64.b64decode(request["ClientContext"]))["custom"]
        case "events":
            entry = request["Entries"][0]
            told = json.loads(entry["Detail"])
            told |= {"source": entry["Source"], "type": entry["DetailType"]}
        case _:
            attributes: Mapping[str, Any] = request["MessageAttributes"]
            told = {name: each["StringValue"] for name, each in attributes.items()}
            names = (("dedup", "MessageDeduplicationId"), ("group", "MessageGroupId"))
            told |= {ours: request[theirs] for ours, theirs in names if theirs in request}
    return {name: str(value) for name, value in told.items()}


def _told(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each call carries its run's payload, with what the templates name filled in."""
    ever = {key for _, key, _ in stage.world.store.table("runs").rows._log}  # noqa: SLF001  # the store's own log
    own = stage.outside.payloads
    for delivery in stage.deliveries:
        task_id, key = row_of(delivery.run_id)
        of_service = stage.task_of(delivery.run_id).target["type"] in TYPES
        if not of_service and delivery.run_id not in own:
            continue
        payloads = [one.task.payload for one in journal.versions[task_id]]
        if (task_id, payload_key(key)) in ever:
            # What its caller has given it, where anybody knows.
            payloads = [own[delivery.run_id]] if delivery.run_id in own else []
        wanted = [contents.given(stage, payload, delivery) for payload in payloads]
        if wanted and delivery.payload not in wanted:
            yield f"miscarried: {delivery.run_id} carried {str(delivery.payload)[:200]}"


def _suppressed(stage: Stage) -> Iterator[str]:
    """Checks that within five minutes a FIFO queue or topic keeps one message of a run."""
    kept: dict[tuple[str, str], list[float]] = defaultdict(list)
    for receipt in stage.outside.receipts:
        if receipt.address.endswith(".fifo") and receipt.kept:
            before = kept[receipt.address, receipt.run_id]
            if any(receipt.at_ms - at_ms < FIFO_SEC * 1000 for at_ms in before):
                yield f"kept twice: {receipt.address} has two messages of {receipt.run_id}"
            before.append(receipt.at_ms)


def _believed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what a service said, and its worker heard in time, is what became of the
    attempt.
    """
    ends, begun = ends_of(journal), _begun(journal)
    for delivery in stage.deliveries:
        end = ends.get((delivery.run_id, delivery.attempt))
        task = stage.task_of(delivery.run_id)
        if task.target["type"] not in TYPES or end is None:
            continue
        given_up_ms = begun.get((delivery.run_id, delivery.attempt), 0) + _patience_ms(task)
        if delivery.ended_ms > given_up_ms - 2 * SKEW_MS:
            # Nobody may have waited for it any more, though the end was written later.
            continue
        if not _is_its_own(delivery, end) or delivery.answer is None:
            continue
        if not _is_so(end, delivery.answer):
            after = end.after
            became = f"{after.status}({after.reason})" if after else ""
            yield f"not believed: {delivery.run_id} is {became}, it was told {delivery.answer}"


def _begun(journal: Journal) -> dict[Attempt, float]:
    """Returns when each attempt began."""
    return {
        (change.run_id, change.after.attempt): change.at_ms
        for change in journal.changes
        if change.started and change.after
    }


def _patience_ms(task: Task) -> int:
    """Returns how long after its start an attempt is given up, whatever its target still says."""
    return (task.timeout_sec + ABANDON_SEC) * 1000


def _is_its_own(delivery: Delivery, end: Change) -> bool:
    """Tells whether it was its own worker that ended it, once the answer was there."""
    writer = end.writer.name.partition("/")[0] if end.writer else ""
    return writer == delivery.process and 0 < delivery.ended_ms <= end.at_ms


def _is_so(end: Change, answer: Answer) -> bool:
    after = end.after
    assert after is not None
    if after.status == "cancelled":
        return True
    life = plain_item(after.life)
    match answer:
        case Done(result):
            kept = json.loads(life["result"]) if "result" in life else None
            return after.status == "succeeded" and kept == result
        case Dead(reason, error):
            ended = (after.status, after.reason) == ("dead", reason)
            return ended and _shows(life["error"], error)
        case Again(outcome, error):
            if after.reason == "attempts_exhausted":
                return _shows(life["error"], error)
            again = after.status == "retrying" and after.reason == outcome
            return again and _shows(life["attempts"][-1]["error"], error)
    return False


def _shows(kept: Mapping[str, Any], error: Mapping[str, Any] | None) -> bool:
    """Tells whether it is shown by its own name."""
    return error is None or kept["type"] == error["type"]


def _patient(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a function that is waited for has its task's whole time before it is given up."""
    begun = _begun(journal)
    for receipt in stage.outside.receipts:
        task = stage.task_of(receipt.run_id)
        delivery = stage.delivery(receipt.run_id, receipt.attempt)
        if not receipt.until_ms or delivery is None or not isinstance(delivery.answer, Again):
            continue
        until_ms = begun.get((receipt.run_id, receipt.attempt), 0) + task.timeout_sec * 1000
        early_ms = min(until_ms, receipt.until_ms) - delivery.ended_ms
        heard = delivery.answer.outcome == "timed_out" and delivery.ended_ms - receipt.at_ms > 1
        if heard and early_ms > _EDGE_MS + SKEW_MS:
            yield f"impatient: {receipt.run_id} gave its function up {early_ms / 1000:.1f} s early"


def doom_of(stage: Stage, change: Change) -> Iterator[Answer]:
    """Gives what becomes of a run that may not be called, or cannot, or whose payload is gone."""
    names = (task.name for task in stage.tasks if task.task_id == change.task_id)
    yield from (DOOMED[name] for name in names if name in DOOMED)
    if any(lost_ms <= change.at_ms for lost_ms in _losses(stage, change.task_id)):
        yield Dead(Reason.PAYLOAD_UNREADABLE)


def _losses(stage: Stage, task_id: str) -> list[float]:
    """Returns when payloads of a task, or of its runs, were deleted by somebody."""
    lost = stage.world.bucket.lost
    return [at_us / 1000 for key, at_us in lost.items() if key.split("/")[1] == task_id]


def _gone(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that where nothing else goes wrong, a run fails before it calls its target for good
    only.
    """
    if disturbed(stage):
        return
    called = {(one.run_id, one.attempt) for one in stage.deliveries}
    for change in journal.changes:
        before, after = change.before, change.after
        if before is None or after is None or before.status != "running":
            continue
        fails = after.status == "retrying" or after.reason == "attempts_exhausted"
        if fails and (change.run_id, before.attempt) not in called:
            yield f"tried again: {change.run_id}, and its target was not called"


def _doomed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what may not or cannot be called is dead at its first attempt, and nobody was
    called.
    """
    doomed = {task.task_id: DOOMED[task.name] for task in stage.tasks if task.name in DOOMED}
    for delivery in stage.deliveries:
        if delivery.run_id.partition(".")[0] in doomed:
            yield f"called all the same: {delivery.run_id}"
    for change in journal.changes:
        answer, after = doomed.get(change.task_id), change.after
        if answer is None or after is None:
            continue
        ends = (answer.reason, "attempts_exhausted", "undeliverable")
        if after.status in ("retrying", "succeeded") or (
            after.status == "dead" and after.reason not in ends
        ):
            yield f"not doomed: {change.run_id} is {after.status}({after.reason})"
