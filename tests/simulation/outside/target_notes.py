"""Notes of what reached a target that is called as in production, and what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer
from tests.simulation.outside.call_facts import Told
from tests.simulation.outside.outside import Word
from tests.simulation.stage import Delivery

if TYPE_CHECKING:
    from tests.simulation.stage import Stage


def note(
    stage: Stage,
    run_id: str,
    attempt: int,
    due_ms: int,
    *,
    payload: object,
    checkpoint: object = None,
    told: Told | None = None,
) -> None:
    """Notes that the running process has brought an attempt to its target."""
    name = stage.world.running.name.split("/")[0] if stage.world.running else ""
    at_ms = stage.world.epoch_us() // 1000
    found = Delivery(run_id, attempt, due_ms, at_ms, name, payload, checkpoint=checkpoint)
    found.told = told
    stage.deliveries.append(found)


def said(stage: Stage, word: Word, answer: Answer) -> None:
    """Notes what was said of an attempt later, by a word that is taken."""
    if delivery := stage.delivery(word.run_id, word.attempt):
        # An earlier try may have been written down, and died before it was answered.
        tries = (
            one.began_ms
            for one in stage.outside.words
            if (one.run_id, one.attempt, one.answer) == (word.run_id, word.attempt, answer)
        )
        delivery.answer, delivery.ended_ms = answer, delivery.ended_ms or min(tries)


def lost(stage: Stage, run_id: str, attempt: int, answer: Answer) -> None:
    """Notes that nobody heard that answer; what was said of the attempt since then counts."""
    delivery = stage.delivery(run_id, attempt)
    if delivery and delivery.answer is answer:
        stage.answered(run_id, attempt, Again(Reason.TIMED_OUT))
