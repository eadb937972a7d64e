"""Laws of what is said from outside: a word that was taken is the outcome, a late one nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.runs.run_row import Run
from onthedot.records.timings import MARGIN_SEC
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped
from tests.simulation.faults.outages import Outage
from tests.simulation.laws.running.laws_moved import fetched_spans
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.outside.outside import Grant, Word
from tests.simulation.stage import Stage

# What an answer of the API takes where nothing goes wrong.
_ANSWERED_MS = 2_000
# A message that was lost on its way comes back, or the audit sends another.
_SENT_AGAIN_MS = 970_000
_CALM_MS = 5_000
# Between a start and the answer that tells of it, and back.
_EDGE_MS = 1_000
_UNDER_WAY = ("running", "awaiting")
Attempt = tuple[str, int]


def acknowledged(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that whatever of an attempt was said and taken is what came of it, and of nothing
    else.
    """
    rows, ends = stage.rows(), ends_of(journal)
    asked_ms = {act.run_id: act.acked_ms for act in stage.acts if act.name == "cancel"}
    for word in stage.outside.words:
        if not word.taken or word.answer is None:
            continue
        end = ends.get((word.run_id, word.attempt))
        if end is None or not _is_so(rows[word.run_id], end, word.answer):
            said = type(word.answer).__name__
            yield f"taken in vain: {said} of attempt {word.attempt} of {word.run_id}"
        elif _is_to_stop(end, word, asked_ms.get(word.run_id, 0.0)):
            yield f"not stopped: {word.run_id} is to be tried again"
        over = rows[word.run_id].life.end
        result = over.result if over else None
        if isinstance(word.answer, Done) and result not in _results(stage, word):
            yield f"another's result: {word.run_id} has {result}"


def refused(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what is said of an attempt after the next has begun is refused, and changes
    nothing.
    """
    begun = begun_of(journal)
    written = {(change.run_id, change.writer.name) for change in journal.changes if change.writer}
    for word in stage.outside.words:
        if word.began_ms <= begun.get((word.run_id, word.attempt + 1), float("inf")):
            continue
        if word.taken:
            yield f"taken too late: attempt {word.attempt} of {word.run_id} by {word.who}"
        if (word.run_id, word.by) in written:
            yield f"written too late: attempt {word.attempt} of {word.run_id} by {word.who}"


def told(stage: Stage) -> Iterator[str]:
    """Where nothing goes wrong, each call about an attempt is answered at once."""
    if disturbed(stage):
        return
    for word in stage.outside.words:
        if not word.heard_ms or word.heard_ms - word.began_ms > _ANSWERED_MS:
            yield f"not told: {word.who} said {word.answer} of {word.run_id}"


def kept_alone(stage: Stage, journal: Journal) -> Iterator[str]:
    """As long as a worker was told that a run is its own, the next attempt does not begin.

    By true time, and with a margin.
    """
    said: dict[Attempt, list[Word]] = defaultdict(list)
    for word in stage.outside.words:
        said[word.run_id, word.attempt].append(word)
    begun = begun_of(journal)
    # Two clocks compare, each with its own error.
    margin_ms = MARGIN_SEC * 1000 - 2 * stage.world.profile.skew_ms
    for grant in stage.outside.grants:
        key = (grant.run_id, grant.attempt)
        again_ms = begun.get((grant.run_id, grant.attempt + 1))
        if again_ms is None or any(_ends_it(word, again_ms) for word in said[key]):
            continue
        until_ms = max([grant.until_ms, *(word.until_ms for word in said[key])])
        if again_ms < until_ms + margin_ms:
            early = (until_ms + margin_ms - again_ms) / 1000
            yield f"taken away: {grant.run_id} from {grant.who}, {early:.1f} s before its time"


def in_its_time(stage: Stage) -> Iterator[str]:
    """Checks that no worker is told that a run is its own for longer than the attempt may take."""
    began_ms = {(one.run_id, one.attempt): one.answered_ms for one in stage.outside.grants}
    every: list[Grant | Word] = [*stage.outside.grants, *stage.outside.words]
    for told in every:
        since_ms = began_ms.get((told.run_id, told.attempt))
        if since_ms is None:
            continue
        over_ms = told.until_ms - since_ms - stage.task_of(told.run_id).timeout_sec * 1000
        if over_ms > 2 * SKEW_MS + _EDGE_MS:
            yield f"beyond its time: {told.who} has {told.run_id} for {over_ms / 1000:.1f} s more"


def over(stage: Stage) -> Iterator[str]:
    """Checks that who asks for more time after the attempt's end was taken is told that it is
    over.
    """
    ended_ms: dict[Attempt, float] = {}
    for word in stage.outside.words:
        if word.taken and word.answer is not None:
            ended_ms.setdefault((word.run_id, word.attempt), word.answered_ms)
    for word in stage.outside.words:
        is_over = word.began_ms > ended_ms.get((word.run_id, word.attempt), float("inf"))
        if is_over and word.answer is None and word.taken:
            yield f"kept though over: attempt {word.attempt} of {word.run_id} by {word.who}"


def given(stage: Stage, journal: Journal) -> Iterator[str]:
    """Where nothing goes wrong, who asks for more than it is given leaves nothing behind.

    Of runs that wait for no other, and that have been due for a while.
    """
    if disturbed(stage) or journal.limits:
        return
    spans = list(_offered(stage, journal))
    for poll in stage.outside.polls:
        for run_id, since_ms, until_ms in spans:
            if poll.given < poll.most and since_ms < poll.asked_ms < poll.answered_ms < until_ms:
                yield f"left behind: {poll.who} was not given {run_id}"


def awaited(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a run of which nobody says anything ends when its time is up: no sooner, hardly
    later.
    """
    said = {(word.run_id, word.attempt) for word in stage.outside.words if word.answer}
    begun, since = begun_of(journal), dict[str, Change]()
    slack_ms = _SENT_AGAIN_MS if disturbed(stage) else _CALM_MS
    for change in journal.changes:
        before, after = change.before, change.after
        if after and after.status == "awaiting":
            since.setdefault(change.run_id, change)
            continue
        waited = since.pop(change.run_id, None)
        if waited is None or after is None or before is None or after.status == "cancelled":
            continue
        key = (change.run_id, before.attempt)
        task = stage.task_of(change.run_id)
        if key in said or task.target["type"] != "http":
            continue
        took_ms = change.at_ms - begun[key]
        over_ms = took_ms - task.timeout_sec * 1000
        if not -2 * SKEW_MS <= over_ms <= slack_ms:
            yield f"given up: {change.run_id} after {took_ms / 1000:.1f} s"
    for run_id, change in since.items():
        if stage.world.epoch_us() / 1000 - change.at_ms > _SENT_AGAIN_MS:
            yield f"awaited for ever: {run_id}"


def disturbed(stage: Stage, but: tuple[Outage, ...] = ()) -> bool:
    """Tells whether anything went wrong in the history, or may have, but for these outages."""
    world = stage.world
    profile, chooser = world.profile, world.chooser
    chances = (profile.skew_ms, profile.slow, profile.stale, profile.double_message)
    outages = profile.outages != but
    more = (profile.late_message, profile.double_tick, profile.drop_tick, outages)
    return bool(chooser.drawn or chooser.only or profile.purge or any(chances) or any(more))


def begun_of(journal: Journal) -> dict[Attempt, float]:
    """Returns when each attempt began."""
    return {
        (change.run_id, change.after.attempt): change.at_ms
        for change in journal.changes
        if change.started and change.after
    }


def ends_of(journal: Journal) -> dict[Attempt, Change]:
    """Returns the write by which each attempt that was under way ended."""
    return {
        (change.run_id, change.before.attempt): change
        for change in journal.changes
        if change.before
        and change.before.status in _UNDER_WAY
        and change.after
        and change.after.status not in _UNDER_WAY
    }


def _is_so(run: Run, end: Change, answer: Answer) -> bool:
    """Tells whether an attempt ended as was said; a worker that was asked to stop may say it
    failed.
    """
    after = end.after
    assert after is not None
    match answer:
        case Done():
            return after.status == run.life.status == "succeeded"
        case Skipped():
            return after.status == run.life.status == "skipped"
        case Dead():
            return (after.status, after.reason) == ("dead", answer.reason)
        case Again():
            failed = after.status == "retrying" and after.reason == answer.outcome
            exhausted = after.reason == "attempts_exhausted" and not answer.released
            return failed or exhausted or run.life.status == "cancelled"
    return False


def _is_to_stop(end: Change, word: Word, asked_ms: float) -> bool:
    """Tells whether it was said after the run was asked to stop, and another attempt is to
    follow.
    """
    asked = 0 < asked_ms < min(word.began_ms, end.at_ms)
    return asked and end.after is not None and end.after.status == "retrying"


def _results(stage: Stage, word: Word) -> list[object]:
    said = stage.outside.said(word.run_id, word.attempt)
    return [answer.result for answer in said if isinstance(answer, Done)]


def _ends_it(word: Word, until_ms: float) -> bool:
    """Tells whether a worker may have given the run up by that, or was told that it is over."""
    if word.began_ms >= until_ms:
        return False
    return word.answer is not None or bool(word.answered_ms and not word.taken)


def _offered(stage: Stage, journal: Journal) -> Iterator[tuple[str, float, float]]:
    """Yields from when to when each run that waits for no other is there to be fetched."""
    free = {
        task.task_id: list(fetched_spans(journal, task.task_id))
        for task in stage.tasks
        if task.overlap == "allow" and not task.shown.get("concurrency_key")
    }
    for run_id, since_ms, until_ms in waiting(journal, _CALM_MS):
        for begin_ms, end_ms in free.get(run_id.partition(".")[0], ()):
            yield run_id, max(since_ms, begin_ms + _CALM_MS), min(until_ms, end_ms)


def waiting(journal: Journal, after_ms: float) -> Iterator[tuple[str, float, float]]:
    """Yields from when to when each run could be fetched: so long after it was due, until it
    began.
    """
    open_since: dict[str, float] = {}
    for change in journal.changes:
        after = change.after
        since = open_since.pop(change.run_id, None)
        if since is not None:
            yield change.run_id, since, change.at_ms
        if after and after.status in ("claimed", "retrying"):
            open_since[change.run_id] = max(change.at_ms, after.due_ms) + after_ms
    yield from ((run_id, since, float("inf")) for run_id, since in open_since.items())
