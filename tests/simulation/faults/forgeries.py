"""Messages that no flow of ours wrote: false words about real runs, and texts that are no words."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

from onthedot.records.runs.run_row import Run
from tests.simulation.stage import Stage

_MOMENTS = 24
_QUEUES = ("HIGH", "NORMAL", "LOW", "DEAD", "DEAD")
TEXTS = (
    "no pack of ours",
    "null",
    "[" * 100_000,
    '{"v":1}',
    '{"v":1,"due_ms":0,"why":"start","runs":{}}',
    '{"v":1,"due_ms":0,"why":"start","runs":[{"run_id":"no-T-here","attempt":1,"tv":1}]}',
    '{"v":1,"due_ms":0,"why":"start","runs":[{"run_id":7,"attempt":1,"tv":1}]}',
    '{"v":1,"due_ms":0,"why":"start","runs":[{"run_id":["list"],"attempt":1,"tv":1}]}',
)


def forge(stage: Stage, seed: int) -> None:
    """Writes them into the queues at any moment, the dead one among them."""
    stage.outside.strangers = True
    random = Random(f"forged {seed}")
    for _ in range(_MOMENTS):
        at_sec = random.uniform(5, 280)
        stage.world.call_at(at_sec, lambda: _write(stage, random))


def _write(stage: Stage, random: Random) -> None:
    rows = sorted(stage.rows().values(), key=lambda run: run.run_id)
    bodies = [random.choice(TEXTS)]
    if rows:
        bodies += [_about(random.choice(rows[-6:]), random)] * random.randint(1, 6)
    queue = random.choice(_QUEUES)
    stage.outside.texts[bodies[0]] += 1
    for body in bodies:
        stage.world.queues.send_message(QueueUrl=os.environ[f"{queue}_QUEUE_URL"], MessageBody=body)


def _about(run: Run, random: Random) -> str:
    """False in everything but the run's own name."""
    entry: dict[str, Any] = {
        "run_id": run.run_id,
        "attempt": random.choice((1, 2, 3, 100, 10**8)),
        "tv": random.choice((0, 1, 10**8)),
    }
    strange = [{"run_id": 7, "attempt": 1, "tv": 1}] if random.random() < 0.3 else []
    form = {
        "v": 1,
        "due_ms": random.choice((0, run.life.due_ms, 7_258_118_399_999)),
        "why": random.choice(("start", "poll", "retry", "resend", "")),
        "runs": [entry, *strange],
    }
    return json.dumps(form)
