"""Planted faults of the worker: decide, start, settle, the gate, packs and dead letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Clause, Outcome, Update
from onthedot.records.runs import message_pack, overlap_gate, run_writes
from onthedot.records.runs.message_pack import Pack
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import task_spec
from onthedot.store import clock, conditional_writer, queue
from onthedot.store.clock import Skew
from onthedot.work import dead_messages, decision_table, job, no_start, settlement, starts, worker
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Busy, Decision, Hold, Over, Skip, Start, decide
from onthedot.work.gates import gate_items, overlap
from onthedot.work.job import Job

Patch = tuple[Any, str, Any]


def _deciding(change: Any) -> list[Patch]:
    def decided(run: Any, task: Any, hint: Any, now_ms: int) -> Decision:
        return change(decide(run, task, hint, now_ms), run, task, hint)  # type: ignore[no-any-return]  # planted

    return [(starts, "decide", decided)]


def version() -> list[Patch]:
    """A slot that another version claimed is taken for another slot."""

    def changed(told: Decision, run: Any, task: Any, _: Any) -> Decision:
        first = isinstance(told, Start) and not run.life.attempt and "~" not in run.key
        if first and run.life.schedule_version != task.schedule_version:
            return Skip(Status.SKIPPED, Reason.SUPERSEDED)
        return told

    return _deciding(changed)


def early() -> list[Patch]:
    """What is to be skipped is skipped when the message comes."""

    def changed(told: Decision, run: Any, task: Any, hint: Any) -> Decision:
        if isinstance(told, Hold) and told.then is None:
            then = decision_table._when_due(run, task, hint, told.until_ms)  # noqa: SLF001
            return then if isinstance(then, Skip) else told
        return told

    return _deciding(changed)


def hold() -> list[Patch]:
    """What is due within seconds starts at once."""

    def changed(told: Decision, run: Any, _task: Any, _hint: Any) -> Decision:
        if isinstance(told, Hold):
            return Start(run.life.due_ms, run.life.schedule_version)
        return told

    def start(seen: Run, begun: Run, *, now_ms: int) -> Update:
        seen_so = run_writes.exact_state(seen.life)
        return run_writes._update(seen, begun.life, seen_so, now_ms=now_ms)  # noqa: SLF001

    return [*_deciding(changed), (run_writes, "start", start)]


def busy() -> list[Patch]:
    """Another's run is nothing to us."""
    return _deciding(lambda told, *_: Over() if isinstance(told, Busy) else told)


def any_state() -> list[Patch]:
    """A start looks at the attempt only."""

    def start(seen: Run, begun: Run, *, now_ms: int) -> Update:
        clause = Clause.equal("life.attempt", seen.life.attempt)
        return run_writes._update(seen, begun.life, (clause,), now_ms=now_ms)  # noqa: SLF001

    return [(run_writes, "start", start)]


def margin() -> list[Patch]:
    """A lease is over when one's own clock says so."""
    return [(decision_table, "MARGIN_SEC", 0)]


def slow_answer() -> list[Patch]:
    """The clock is set to the middle of what an answer leaves open, however slow it was."""

    def middle(skew: Skew) -> int:
        unsure = not skew.known or skew.low_ms <= 0 <= skew.high_ms
        return 0 if unsure else (skew.low_ms + skew.high_ms) // 2

    return [
        (Skew, "offset_ms", property(middle)),
        (Skew, "offset_never_early_ms", property(middle)),
    ]


def forgotten() -> list[Patch]:
    """Those in line are cancelled once the gate has forgotten them, if nothing comes between."""
    return [(overlap, "_end_the_line", lambda *_: False)]


def no_fence() -> list[Patch]:
    """Any worker settles what runs."""
    return [(run_writes, "fence", lambda _: (Clause.equal("life.status", "running"),))]


def bury() -> list[Patch]:
    """What SQS gave up on is dead."""

    def dealt_with(job: Job) -> bool:
        if job.run is None or job.run.final:
            return True
        write = run_writes.settle_unstarted(
            job.held, Status.DEAD, Reason.UNDELIVERABLE, now_ms=clock.now_ms()
        )
        return conditional_writer.write_one(write) is Outcome.DONE

    return [(dead_messages, "_dealt_with", dealt_with)]


def finish() -> list[Patch]:
    """OVER deletes, and no more."""
    original = no_start.leave

    def leave(batch: Batch, job: Job, decision: Decision) -> None:
        if isinstance(decision, Over):
            batch.done([job.ticket.run_id])
        else:
            original(batch, job, decision)

    return [(no_start, "leave", leave)]


def twice() -> list[Patch]:
    """A run that two messages name is worked twice."""
    original = Batch.jobs

    def jobs(batch: Batch, worker: str) -> list[Job]:
        once = original(batch, worker)
        copies = [
            replace(job) for job in once for _ in range(len(batch.naming(job.ticket.run_id)) - 1)
        ]
        return once + copies

    return [(Batch, "jobs", jobs)]


def not_mine() -> list[Patch]:
    """A start that is refused is another's."""
    return [(starts, "_runs_by", lambda *_: False)]


def place() -> list[Patch]:
    """A run gives its place up whenever an attempt ends."""

    def close(batch: Batch, settled: Sequence[Job]) -> None:
        overlap.leave(settled)
        batch.done([job.ticket.run_id for job in settled])
        for each in settled:
            each.over = True

    return [(settlement, "_close", close)]


def place_by_hint() -> list[Patch]:
    """An old message of a retrying run gives its place up."""
    original = no_start.leave

    def leave(batch: Batch, job: Job, decision: Decision) -> None:
        if isinstance(decision, Over) and job.run is not None:
            overlap.finish(job)
        original(batch, job, decision)

    return [(no_start, "leave", leave)]


def settle_first() -> list[Patch]:
    """The retry's message is sent after the settle."""
    sending = settlement._next_sent  # noqa: SLF001  # planted in the flow
    closing = settlement._close  # noqa: SLF001  # planted in the flow

    def close(batch: Batch, settled: Sequence[Job]) -> None:
        for each in settled:
            if each.ending and each.ending.status == "retrying":
                receipts = [one.receipt for one in batch.naming(each.ticket.run_id)]
                queue.delete(batch.url, receipts)
                sending(batch, each, each.ending, clock.now_ms())
        closing(batch, settled)

    return [(settlement, "_next_sent", lambda *_: True), (settlement, "_close", close)]


def release_first() -> list[Patch]:
    """The gate is left before the next one is woken, and a newcomer does not wake it."""

    def give_up(run: Run) -> None:
        seen = gate_items.read(run.task_id)
        if not seen.names(run.key):
            return
        wanted = seen.without([run.key])
        if (
            conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE
            and wanted.waiting
        ):
            overlap._passed_on(seen, wanted, run)  # noqa: SLF001

    return [(overlap, "give_up", give_up), (overlap, "_wake_first", lambda *_: None)]


def unsplit() -> list[Patch]:
    """A pack comes back as it is, and an unreadable row stops its worker."""
    original = job.load

    def load(jobs: list[Job]) -> None:
        original(jobs)
        if any(job.unreadable for job in jobs):
            raise ValueError("a row that nobody can read")

    return [(Batch, "split", lambda _: None), (worker, "load", load), (dead_messages, "load", load)]


def illegible() -> list[Patch]:
    """A task that nobody can read stops the worker of all that came with it."""
    return [(task_spec, "readable", task_spec.parse)]


def together() -> list[Patch]:
    """Whatever killed a worker is tried again beside others."""
    return [(worker, "suspect", lambda *_: False)]


def stranger() -> list[Patch]:
    """A worker with a message for one run of a pack stays away from a busy one for a minute."""

    def changed(told: Decision, run: Any, _: Any, hint: Any) -> Decision:
        stays = isinstance(told, Busy) and hint.receives == 1
        if not stays:
            return told
        held = run.life.its_attempt
        return Busy(60) if held.msg != hint.message_id and hint.attempt <= held.number else told

    return _deciding(changed)


def stay() -> list[Patch]:
    """What may have killed a worker waits until nothing runs beside it, however long that takes."""
    for_ever_ms = 1_000_000_000
    return [(worker, "shut_out", lambda *_: []), (worker, "_SHUT_OUT_MS", for_ever_ms)]


def parts_dropped() -> list[Patch]:
    """A pack that was split is done with, whatever SQS took of it."""
    original = Batch.split

    def split(self: Batch) -> None:
        before = list(self.put_back)
        original(self)
        self.put_back = before

    return [(Batch, "split", split)]


def hasty() -> list[Patch]:
    """Every dead letter is SQS's own, whenever it comes."""
    return [(dead_messages, "died_ms", lambda _: 0)]


def uncaught() -> list[Patch]:
    """Whatever is no message of ours stops its worker."""
    original = message_pack.parse

    def parse(body: str) -> Pack:
        try:
            return original(body)
        except message_pack.Foreign as foreign:
            raise ValueError(body[:20]) from foreign

    return [(message_pack, "parse", parse)]
