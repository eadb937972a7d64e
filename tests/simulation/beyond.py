"""Puts what is outside into a history: receivers, machines, services, and what is theirs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from onthedot.adapters import aws, jobs, net
from onthedot.flows.targets import TARGETS
from tests.simulation.clients import Client
from tests.simulation.counter import Flows, Handlers
from tests.simulation.handled import Handled
from tests.simulation.receivers import Receiver
from tests.simulation.states import States
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from tests.simulation.scene import Scene
    from tests.simulation.stage import Stage

_WORKERS = 2
_LOGS = ("onthedot.flows.deliver", "onthedot.flows.targets")
# They go on for so long after the last tick.
_STAY_SEC = 750.0
_LEAVE_SEC = 240.0


def set_up(stage: Stage, scene: Scene, seed: int) -> None:
    """Let the targets of the stage's tasks be called as in production, down to the adapter."""
    stage.outside.api = Handlers(stage) if scene.by_handlers else Flows()
    kinds = {task.target["type"] for task in stage.tasks}
    receiver, states, handled = Receiver(stage, seed), States(stage, seed), Handled(stage, seed)
    clients: dict[str, Any] = {"stepfunctions": Client(stage.world, states)}
    stage.targets |= {
        # No worker of ours calls it.
        "pull": TARGETS["recording"],
        "http": TARGETS["http"],
        "python": TARGETS["python"],
        "stepfunctions": states.target,
    }
    stage.stand_ins += [
        (net, "send", receiver.send),
        (aws, "patient_client", lambda service, _seconds: clients[service]),
        (jobs, "handlers", handled.handlers),
        # What they log of failures is for operators.
        *((logging.getLogger(name), "disabled", True) for name in _LOGS),
    ]
    if "pull" in kinds:
        until_sec = scene.course.ticks_until + _STAY_SEC
        if "to workers" in scene.calls:
            # A message that turns up late may be what hands a run over.
            until_sec = scene.course.sec - _LEAVE_SEC
        Workers(stage, seed, count=_WORKERS, until_sec=until_sec, lagging=scene.lagging)
