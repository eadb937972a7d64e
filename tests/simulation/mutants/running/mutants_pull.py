"""Planted faults of what is outside: words, leases, executions, handlers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import run_id as run_id_of
from onthedot.records.runs import message_pack, pull, run_row, run_writes
from onthedot.records.runs.message_pack import POLL
from onthedot.records.runs.run_row import Life, Run, leased
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.task_spec import Task
from onthedot.store import aws, clock, conditional_writer, ids, queue, run_messages
from onthedot.targets import attempt_outcome
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Done
from onthedot.targets.aws import executions, stepfunctions
from onthedot.targets.call import Call
from onthedot.targets.http import http_target
from onthedot.targets.python import cloud_context, previous_success, step_effects
from onthedot.work import awaited_completion, job, no_start, settlement
from onthedot.work.gates import overlap, tenant_quota
from onthedot.work.outside import lease, lease_answers
from onthedot.work.outside.lease_answers import Told

Patch = tuple[Any, str, Any]


def any_token() -> list[Patch]:
    """What is said of an attempt counts for whichever is under way."""
    original = lease_answers.settle

    def settle(run_id: str, attempt: int, answer: Answer, **named: Any) -> Told:
        told = original(run_id, attempt, answer, **named)
        for later in range(attempt + 1, attempt + 3):
            if told is Told.LOST:
                told = original(run_id, later, answer, **named)
        return told

    return [(lease_answers, "settle", settle)]


def any_word() -> list[Patch]:
    """Whatever is said of an attempt that is over is answered as taken."""
    return [(lease_answers, "_came_of", lambda _run, _answer: True)]


def any_heartbeat() -> list[Patch]:
    """A worker whose lease is lost is told that it has the run."""
    original = lease_answers.extend

    def extend(run_id: str, attempt: int, **named: Any) -> Run | Told:
        told = original(run_id, attempt, **named)
        return original(run_id, attempt + 1, **named) if told is Told.LOST else told

    return [(lease_answers, "extend", extend)]


def disobeyed() -> list[Patch]:
    """A worker that was asked to stop, and says that it failed, has its run tried again."""
    return [(lease_answers, "after_cancel", lambda answer, _run: answer)]


def lease_unwritten() -> list[Patch]:
    """A longer lease is told, and not written."""
    original = lease_answers.extended

    class Unwritten:
        """Writes nothing."""

        write_one = staticmethod(lambda _write: Outcome.DONE)
        write_many = staticmethod(conditional_writer.write_many)

    return [(lease, "conditional_writer", Unwritten), (lease, "extended", original)]


def beat_unwritten() -> list[Patch]:
    """A heartbeat is answered, and not written."""

    class Unwritten:
        """Writes nothing."""

        write_one = staticmethod(lambda _write: Outcome.DONE)

    return [(lease_answers, "conditional_writer", Unwritten)]


def not_found_again() -> list[Patch]:
    """What is to be tried again has no place in the index."""
    original = pull.marks

    def marks(run: Run, life: Life) -> Any:
        return () if life.status == "retrying" else original(run, life)

    return [(pull, "marks", marks)]


def given_twice() -> list[Patch]:
    """A run that stands in the index twice is given twice."""

    def unseen(keys: Sequence[Any], seen: Collection[str]) -> list[str]:
        run_ids = [run_id_of(each["task_id"], each["scheduled_for"]) for each in keys]
        return [run_id for run_id in run_ids if run_id not in seen]

    return [(lease, "_unseen", unseen)]


def short_time() -> list[Patch]:
    """What was taken on is awaited no longer than a worker's lease."""
    original = attempt_outcome.after

    def after(life: Life, task: Task, answer: Answer, **named: Any) -> Life:
        became = original(life, task, answer, **named)
        return leased(became, life.lease_ms) if isinstance(answer, Awaiting) else became

    return [(settlement, "after", after)]


def for_ever() -> list[Patch]:
    """What was taken on is awaited for ever."""
    return [(awaited_completion, "_given_up", lambda _run: None)]


def called_back_at_once() -> list[Patch]:
    """That a target takes a run on is taken for its end."""
    original = http_target.answer

    def answer(*given: Any, **named: Any) -> Answer:
        found = original(*given, **named)
        return Done() if isinstance(found, Awaiting) else found

    return [(http_target, "answer", answer)]


def place_kept() -> list[Patch]:
    """What ends by a word gives up no place."""
    return [(awaited_completion, "overlap", _Without(overlap, "give_up"))]


def permit_kept() -> list[Patch]:
    """What ends by a word gives back no permit."""
    return [(awaited_completion, "tenant_quota", _Without(tenant_quota, "leave"))]


def retried_first() -> list[Patch]:
    """After a word the row is written, then the message of the next attempt is sent."""

    def conclude(run: Run, task: Task, answer: Answer) -> bool:
        now_ms = clock.now_ms()
        fraction = ids.fraction()
        life = attempt_outcome.after(run.life, task, answer, now_ms=now_ms, fraction=fraction)
        if (
            conditional_writer.write_one(run_writes.mark(run, life, now_ms=now_ms))
            is not Outcome.DONE
        ):
            return False
        if life.status == "retrying":
            again = message_pack.of_run(replace(run, life=life), "retry")
            queue.send([(again, max(1, message_pack.delay_sec(life.due_ms, now_ms)))])
        tenant_quota.leave([run])
        if life.status != "retrying":
            overlap.give_up(run)
        return True

    return [(module, "conclude", conclude) for module in (awaited_completion, lease_answers, lease)]


def looked_at_once() -> list[Patch]:
    """An execution is looked at, and no message is sent for the next look."""
    original = run_messages.send

    def send(run: Run, why: str, delay_sec: int = 0) -> bool:
        return why == POLL or original(run, why, delay_sec)

    return [(no_start, "run_messages", SimpleNamespace(send=send))]


def looked_at_rarely() -> list[Patch]:
    """Between two looks there are some minutes."""
    return [
        (module, "next_look_sec", lambda *_: 150) for module in (awaited_completion, settlement)
    ]


def begun_again() -> list[Patch]:
    """The next attempt starts an execution beside the one that was left behind."""
    return [(stepfunctions, "_left_behind", lambda _asked: None)]


def one_attempt_back() -> list[Patch]:
    """Only what the attempt right before started is looked for."""
    original = stepfunctions._left_behind  # noqa: SLF001  # planted in the target

    def left_behind(asked: Call) -> Answer | None:
        client = aws.patient_client("stepfunctions", 10)
        try:
            stepfunctions.look(stepfunctions._arn(replace(asked, attempt=asked.attempt - 1)))  # noqa: SLF001
        except client.exceptions.ExecutionDoesNotExist:
            return None
        return original(asked)

    return [(stepfunctions, "_left_behind", left_behind)]


def never_stopped() -> list[Patch]:
    """What was started goes on when its run is over."""
    return [(executions, "stop", lambda _run: True)]


def stopped_later() -> list[Patch]:
    """A cancelled run's execution goes on until it is looked at."""
    return [(executions, "stop_soon", lambda _run: None)]


def given_back_counts() -> list[Patch]:
    """An attempt that gave the run back counts as one that failed."""
    return [(attempt_outcome.Again, "released", property(lambda _: False))]


def starts_over() -> list[Patch]:
    """What an attempt leaves is not kept."""
    original = attempt_outcome.after

    def after(life: Life, task: Task, answer: Answer, **named: Any) -> Life:
        if isinstance(answer, Again):
            answer = replace(answer, checkpoint=None)
        return original(life, task, answer, **named)

    return [(settlement, "after", after), (awaited_completion, "after", after)]


def done_again() -> list[Patch]:
    """A step is done by every attempt."""

    def once(run_id: str, step: str, effect: Callable[[], Any]) -> Any:
        return step_effects.record(run_id, step, effect()).value

    return [(cloud_context, "once", once)]


def first_forgotten() -> list[Patch]:
    """A step that another attempt has recorded gives the attempt's own value."""

    def once(run_id: str, step: str, effect: Callable[[], Any]) -> Any:
        if kept := step_effects.recorded(run_id, step):
            return kept.value
        value = effect()
        step_effects.record(run_id, step, value)
        return value

    return [(cloud_context, "once", once)]


def any_before() -> list[Patch]:
    """A handler is told of the last run before its own, whatever became of it."""
    original = run_row.readable

    class Runs:
        """Shows what has started as succeeded."""

        TABLE = run_row.TABLE

        @staticmethod
        def readable(item: Any) -> Run | None:
            run = original(item)
            if run and run.life.attempt:
                return replace(run, life=replace(run.life, status=Status.SUCCEEDED))
            return run

    return [(previous_success, "run_row", Runs)]


def never_abandoned() -> list[Patch]:
    """A handler that sees no deadline is waited for longer than is said."""
    return [(job, "ABANDON_SEC", 20)]


def at_its_own_pace() -> list[Patch]:
    """When a target says when to come again, that is passed over."""
    original = http_target.answer

    def answer(*given: Any, **named: Any) -> Answer:
        found = original(*given, **named)
        return replace(found, after_sec=None) if isinstance(found, Again) else found

    return [(http_target, "answer", answer)]


class _Without:
    """A module as it is, but for one function that does nothing."""

    def __init__(self, module: Any, name: str) -> None:
        self._module, self._name = module, name

    def __getattr__(self, name: str) -> Any:
        return (lambda *_: None) if name == self._name else getattr(self._module, name)


_CRASHES = ("callbacks crashes bare", "callbacks rough bare")
_STALE = ("pulled stale", "pulled rough")
# What is left out, why it is there, what leaves it out, and where that shows.
_Fault = tuple[str, str, Callable[[], list[Patch]], tuple[str, ...]]

PULL_FAULTS: tuple[_Fault | tuple[*_Fault, int], ...] = (
    ("any token", "0164: an old attempt's word is refused", any_token, ("callbacks", "pulled")),
    ("any word", "0164: another word is refused", any_word, ("pulled", "callbacks")),
    ("any heartbeat", "0164: who lost a run is told so", any_heartbeat, ("pulled",)),
    ("disobeyed", "who is asked to stop may say it failed", disobeyed, ("pulled",)),
    ("lease unwritten", "a lease is written, then told", lease_unwritten, ("pulled",)),
    ("beat unwritten", "a heartbeat is written, then told", beat_unwritten, ("pulled",)),
    ("not found again", "a retry is in the index", not_found_again, ("pulled",)),
    ("given twice", "what stands in the index twice is given once", given_twice, _STALE, 7),
    ("short time", "what is awaited has its task's time", short_time, ("callbacks",)),
    ("for ever", "what is awaited has its task's time only", for_ever, ("callbacks",), 2),
    ("called back at once", "202 is no end", called_back_at_once, ("callbacks",)),
    ("place kept", "a word gives up the gate's place", place_kept, ("callbacks bare",)),
    ("permit kept", "a word gives back the permit", permit_kept, ("outside quotas",)),
    ("retried first", "the retry's message, then the row", retried_first, _CRASHES, 37),
    ("looked at once", "an execution is looked at again", looked_at_once, ("executions",)),
    ("looked at rarely", "an execution is looked at soon", looked_at_rarely, ("executions",)),
    (
        "begun again",
        "an execution left behind is awaited",
        begun_again,
        ("executions crashes",),
        30,
    ),
    ("one attempt back", "several workers may die", one_attempt_back, ("executions deaths",), 55),
    ("never stopped", "what is cancelled is stopped", never_stopped, ("executions",)),
    ("stopped later", "what is cancelled is stopped at once", stopped_later, ("executions",)),
    ("given back counts", "what is given back costs nothing", given_back_counts, ("handled",)),
    ("starts over", "a checkpoint is handed on", starts_over, ("handled", "pulled")),
    ("done again", "a step is done once", done_again, ("handled",)),
    ("first forgotten", "a step has one value", first_forgotten, ("handled stalls",)),
    ("any before", "a success before is one", any_before, ("handled",)),
    ("never abandoned", "a handler has its time", never_abandoned, ("handled",)),
    ("at its own pace", "a target says when next", at_its_own_pace, ("callbacks",)),
)
