"""How what is outside calls the API: a process of ours answers, and the answer may be lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.core.errors import BusyError
from onthedot.core.policy import Answer
from onthedot.core.run import Run
from onthedot.flows import holding, lease
from onthedot.flows.holding import Told
from onthedot.flows.lease import Leased
from tests.simulation import delivering
from tests.simulation.outside import Grant, Poll, Word
from tests.simulation.process import Part

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

TENANT = "acme"
QUEUE = "gpu"
# API Gateway waits no longer.
_WAITS_SEC = 29
_AWAY = (BusyError, BotoCoreError, ClientError)


class Unavailable(Exception):  # noqa: N818  # as the client calls it
    """The caller had no answer, or was told to try again: it may be done or not."""


def take(stage: Stage, *, most: int, lease_sec: int) -> list[Grant]:
    """Ask for runs, as a worker does."""
    world = stage.world
    who, asked_ms = _me(stage), world.epoch_us() / 1000
    grants: list[Grant] = []

    def carried_out() -> list[Leased]:
        found = lease.take(QUEUE, tenant_id=TENANT, most=most, worker=who, lease_sec=lease_sec)
        now_ms = world.epoch_us() / 1000
        stage.outside.polls.append(Poll(who, asked_ms, now_ms, most, len(found)))
        for each in found:
            life, until_ms = each.run.life, _true_ms(stage, each.run.life.lease_ms)
            grants.append(Grant(who, each.run.run_id, life.attempt, asked_ms, now_ms, until_ms))
        stage.outside.grants += grants
        return found

    for grant, leased in zip(grants, _answered(stage, carried_out), strict=True):
        grant.heard_ms = world.epoch_us() / 1000
        call = leased.call
        delivering.note(
            stage,
            call.run_id,
            call.attempt,
            call.due_ms,
            payload=call.payload,
            checkpoint=call.checkpoint,
        )
    return grants


def say(stage: Stage, run_id: str, attempt: int, answer: Answer) -> bool:
    """Say what came of an attempt; True if that counts."""
    return _say(
        stage,
        Word(_me(stage), "", run_id, attempt, answer, 0.0),
        lambda: holding.settle(run_id, attempt, answer, tenant_id=TENANT) is Told.TAKEN,
    )


def beat(stage: Stage, run_id: str, attempt: int, lease_sec: int) -> tuple[bool, bool]:
    """Keep an attempt; tells whether it is kept, and whether it is to stop."""
    kept: list[Run] = []

    def carried_out() -> bool:
        found = holding.extend(run_id, attempt, tenant_id=TENANT, lease_sec=lease_sec)
        if isinstance(found, Run):
            kept.append(found)
            word.until_ms = _true_ms(stage, found.life.lease_ms)
        return bool(kept)

    word = Word(_me(stage), "", run_id, attempt, None, 0.0)
    taken = _say(stage, word, carried_out)
    return taken, bool(kept and kept[0].cancel_ms)


def _say(stage: Stage, word: Word, carried_out: Callable[[], bool]) -> bool:
    world = stage.world
    word.began_ms = world.epoch_us() / 1000
    stage.outside.words.append(word)

    def noted() -> bool:
        assert world.running is not None
        word.by = world.running.name
        taken = carried_out()
        if taken and word.answer is not None and not stage.outside.told(word.run_id, word.attempt):
            delivering.said(stage, word, word.answer)
        word.answered_ms, word.taken = world.epoch_us() / 1000, taken
        return taken

    taken: bool = _answered(stage, noted)
    word.heard_ms = world.epoch_us() / 1000
    return taken


def _answered(stage: Stage, work: Callable[[], Any]) -> Any:
    """Let a process of the API do it, and wait for what it answers."""
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
