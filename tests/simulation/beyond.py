"""Puts what is outside into a history: receivers, machines, services, and what is theirs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bench import recording
from onthedot.adapters import aws, jobs, net
from onthedot.api import waiting
from onthedot.flows.targets import TARGETS
from tests.simulation import loading
from tests.simulation.aws_targets import TYPES, AwsTargets
from tests.simulation.clients import Client
from tests.simulation.counter import Flows, Handlers
from tests.simulation.edits import MOVES
from tests.simulation.handled import Handled
from tests.simulation.receivers import Receiver
from tests.simulation.states import States
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from tests.simulation.scene import Scene
    from tests.simulation.stage import Stage

_LOGS = ("onthedot.flows.deliver", "onthedot.flows.targets")
# They go on for so long after the last tick.
_STAY_SEC = 750.0


def set_up(stage: Stage, scene: Scene, seed: int) -> None:
    """Let the targets of the stage's tasks be called as in production, down to the adapter."""
    stage.outside.api = Handlers(stage) if scene.by_handlers else Flows()
    kinds = {task.target["type"] for task in stage.tasks}
    receiver, states, handled = Receiver(stage, seed), States(stage, seed), Handled(stage, seed)
    services, machines = AwsTargets(stage, seed), Client(stage.world, states)

    def client(service: str, seconds: int) -> Any:
        return machines if service == "stepfunctions" else services.client(service, seconds)

    stage.targets |= {
        # No worker of ours calls it.
        "pull": recording.call,
        "http": TARGETS["http"],
        "python": TARGETS["python"],
        "stepfunctions": states.target,
        **dict.fromkeys(TYPES, services.target),
    }
    stage.stand_ins += [
        (net, "send", receiver.send),
        (aws, "patient_client", client),
        (jobs, "handlers", handled.handlers),
        # What they log of failures is for operators.
        *((logging.getLogger(name), "disabled", True) for name in _LOGS),
    ]
    if scene.laden:
        loading.befall(stage, seed)
    if scene.polls_max:
        stage.outside.polls_max = scene.polls_max
        stage.stand_ins.append((waiting, "_MOST", scene.polls_max))
    if "pull" in kinds or MOVES & {*scene.calls}:
        _employ(stage, scene, seed)


def _employ(stage: Stage, scene: Scene, seed: int) -> None:
    """Let machines fetch runs, until nothing is left or until they are switched off."""
    until_sec = scene.course.ticks_until + _STAY_SEC
    if scene.off_sec and scene.course.audited:
        until_sec = scene.off_sec
    Workers(
        stage,
        seed,
        count=scene.machines,
        until_sec=until_sec,
        lagging=scene.lagging,
        wait_sec=scene.waits_sec,
    )
