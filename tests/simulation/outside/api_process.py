"""How what is outside calls the API: a process of ours answers, and the answer may be lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.schedule.expression.errors import BusyError
from onthedot.targets.attempt_outcome import Answer
from tests.simulation.machine.process import Part
from tests.simulation.outside import target_notes
from tests.simulation.outside.outside import Grant, Poll, Word

if TYPE_CHECKING:
    from tests.simulation.outside.counter import Counter, Leased
    from tests.simulation.stage import Stage

# API Gateway waits no longer.
_WAITS_SEC = 29
_AWAY = (BusyError, BotoCoreError, ClientError)


class Unavailable(Exception):  # noqa: N818  # as the client calls it
    """The caller had no answer, or was told to try again: it may be done or not."""


def take(stage: Stage, *, most: int, lease_sec: int, wait_sec: int = 0) -> list[Grant]:
    """Asks for runs, as a worker does, and lets the API wait for one."""
    world = stage.world
    api: Counter = stage.outside.api
    who, asked_ms = _me(stage), world.epoch_us() / 1000
    grants: list[Grant] = []

    def carried_out() -> list[Leased]:
        found, turned_away = api.lease(who, most, lease_sec, wait_sec)
        now_ms = world.epoch_us() / 1000
        stage.outside.polls.append(
            Poll(who, asked_ms, now_ms, most, len(found), wait_sec, turned_away)
        )
        for each in found:
            until_ms = _true_ms(stage, each.until_ms)
            grants.append(Grant(who, each.run_id, each.attempt, asked_ms, now_ms, until_ms))
        stage.outside.grants += grants
        return found

    for grant, leased in zip(grants, _answered(stage, carried_out), strict=True):
        grant.heard_ms = world.epoch_us() / 1000
        target_notes.note(
            stage,
            leased.run_id,
            leased.attempt,
            leased.due_ms,
            payload=leased.payload,
            checkpoint=leased.checkpoint,
        )
    return grants


def say(stage: Stage, run_id: str, attempt: int, answer: Answer) -> bool:
    """Says what came of an attempt; True if that counts."""
    word = Word(_me(stage), "", run_id, attempt, answer, 0.0)
    return _say(stage, word, lambda: stage.outside.api.settle(run_id, attempt, answer))


def beat(stage: Stage, run_id: str, attempt: int, lease_sec: int) -> tuple[bool, bool]:
    """Keeps an attempt; tells whether it is kept, and whether it is to stop."""
    stops = False

    def carried_out() -> bool:
        nonlocal stops
        kept = stage.outside.api.keep(run_id, attempt, lease_sec, {"at": stage.world.now_us})
        if kept is not None:
            word.until_ms, stops = _true_ms(stage, kept[0]), kept[1]
        return kept is not None

    word = Word(_me(stage), "", run_id, attempt, None, 0.0)
    return _say(stage, word, carried_out), stops


def step(stage: Stage, run_id: str, attempt: int, value: str = "") -> tuple[bool, object]:
    """Looks a step up, or record it; tells whether the attempt stands, and what is recorded."""
    kept: object = None

    def carried_out() -> bool:
        nonlocal kept
        told = stage.outside.api.step(run_id, attempt, value)
        kept = told[0] if told else None
        return told is not None

    word = Word(_me(stage), "", run_id, attempt, None, 0.0)
    return _say(stage, word, carried_out), kept


def _say(stage: Stage, word: Word, carried_out: Callable[[], bool]) -> bool:
    world = stage.world
    word.began_ms = world.epoch_us() / 1000
    stage.outside.words.append(word)

    def noted() -> bool:
        assert world.running is not None
        word.by = world.running.name
        taken = carried_out()
        if taken and word.answer is not None and not stage.outside.told(word.run_id, word.attempt):
            target_notes.said(stage, word, word.answer)
        word.answered_ms, word.taken = world.epoch_us() / 1000, taken
        return taken

    taken: bool = _answered(stage, noted)
    word.heard_ms = world.epoch_us() / 1000
    return taken


def _answered(stage: Stage, work: Callable[[], Any]) -> Any:
    """Lets a process of the API do it, and wait for what it answers."""
    world = stage.world

    def answer() -> Any:
        try:
            return (work(),)
        except _AWAY:
            # The caller's 503.
            return ()

    process = world.spawn("said", answer, limit_sec=_WAITS_SEC)
    Part(world, process).wait(_WAITS_SEC)
    try:
        world.act("hear", lambda: None)
    except BotoCoreError:
        raise Unavailable from None
    if not process.done or process.dead or process.error is not None or not process.result:
        raise Unavailable
    return process.result[0]


def _me(stage: Stage) -> str:
    assert stage.world.running is not None
    return stage.world.running.name


def _true_ms(stage: Stage, shown_ms: float) -> float:
    """What a time is that the clock of the running process shows."""
    assert stage.world.running is not None
    return shown_ms - stage.world.running.skew_us / 1000
