"""Puts what is outside into a history: receivers, machines, services, and what is theirs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bench import recording
from onthedot.api.runs import long_polls
from onthedot.store import aws
from onthedot.targets.http import http_client
from onthedot.targets.python import job_handlers
from onthedot.work.target_table import TARGETS
from tests.simulation.machine.clients import Client
from tests.simulation.outside.aws_targets import TYPES, AwsTargets
from tests.simulation.outside.counter import Flows, Handlers
from tests.simulation.outside.receivers import Receiver
from tests.simulation.outside.states import States
from tests.simulation.outside.user_handlers import Handled
from tests.simulation.outside.workers import Workers
from tests.simulation.users import payload_loads
from tests.simulation.users.edits import MOVES

if TYPE_CHECKING:
    from tests.simulation.scene import Scene
    from tests.simulation.stage import Stage

_LOGS = ("onthedot.work.target_call", "onthedot.work.target_table")
# They go on for so long after the last tick.
_STAY_SEC = 750.0


def set_up(stage: Stage, scene: Scene, seed: int) -> None:
    """Lets the targets of the stage's tasks be called as in production, down to the adapter."""
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
        (http_client, "send", receiver.send),
        (aws, "patient_client", client),
        (job_handlers, "handlers", handled.handlers),
        # What they log of failures is for operators.
        *((logging.getLogger(name), "disabled", True) for name in _LOGS),
    ]
    if scene.laden:
        payload_loads.befall(stage, seed)
    if scene.polls_max:
        stage.outside.polls_max = scene.polls_max
        stage.stand_ins.append((long_polls, "_MOST", scene.polls_max))
    if "pull" in kinds or MOVES & {*scene.calls}:
        _employ(stage, scene, seed)


def _employ(stage: Stage, scene: Scene, seed: int) -> None:
    """Lets machines fetch runs, until nothing is left or until they are switched off."""
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
