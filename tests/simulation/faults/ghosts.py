"""Messages of strangers that name no run: texts that are no words, and runs that never were."""

from __future__ import annotations

import json
import os
from functools import partial
from random import Random
from typing import Any

from tests.simulation.faults.forgeries import TEXTS
from tests.simulation.stage import Stage

_MOMENTS, _QUEUES = 6, ("HIGH", "NORMAL", "LOW", "DEAD")
_STRANGE = {"run_id": 7, "attempt": 1, "tv": 1}
# At each moment: a text, and a message with two ghosts and an entry that can name none.
WRITTEN = _MOMENTS * 4


def prepared(stage: Stage) -> None:
    """Lets them come at any moment, into any queue."""
    random = Random(f"ghosts {stage.world.seed}")
    for number in range(_MOMENTS):
        texts = random.choice(TEXTS), _of_ghosts(2 * number)
        at_sec, queue = random.uniform(5, 280), random.choice(_QUEUES)
        stage.outside.texts[texts[0]] += 1
        stage.world.call_at(at_sec, partial(_write, stage, queue, texts))


def _of_ghosts(first: int) -> str:
    """Returns two runs of a schedule that never was, beside what can name none."""
    at = ("120000", "120100")
    runs: list[dict[str, Any]] = [
        {"run_id": f"sch_GHOST{first:021}.20261118T{each}Z", "attempt": 1, "tv": 1} for each in at
    ]
    return json.dumps({"v": 1, "due_ms": 0, "why": "start", "runs": [*runs, _STRANGE]})


def _write(stage: Stage, queue: str, texts: tuple[str, ...]) -> None:
    for body in texts:
        url = os.environ[f"{queue}_QUEUE_URL"]
        stage.world.queues.send_message(QueueUrl=url, MessageBody=body)
