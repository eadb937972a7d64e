"""Deployments in a history: each makes the schedules of its code, and is tried until it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from onthedot.records.problems import Problem
from onthedot.registry import code_schedules, declared_handlers, tenant_limits
from onthedot.store import clock
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

TENANT = "acme"
_TARGET = {"type": "python", "handler": "hello"}
_SHARED = {"target": _TARGET, "managed_by": "code:jobs", "overlap": "allow"}
_SCHEDULES: tuple[dict[str, Any], ...] = (
    {"name": "nightly", "cron": "* * * * *"},
    {"name": "nightly", "cron": "30 * * * * *"},
    {"name": "sweep", "every_sec": 30},
    {"name": "prune", "cron": "*/20 * * * * *"},
)
_TRIES = 12
_TAKES_SEC = 120


@dataclass(slots=True, kw_only=True)
class Deployment(Act):
    """One of them: what its code declares."""

    wanted: Mapping[str, Mapping[str, Any]]
    # What the try that ended well says to have done, and which one that was.
    said: Mapping[str, int] = field(default_factory=dict)
    by: str = ""


def upgrade(stage: Stage) -> None:
    """Gives a tenant from before the targets that its tasks use, as each deployment does."""

    def run() -> None:
        tenant_limits.bound(tenant_limits.unbound(), clock.sleep)

    stage.world.spawn("deploy", run, limit_sec=_TAKES_SEC)


def deploy(stage: Stage, random: Random, more: Sequence[Mapping[str, Any]] = ()) -> None:
    """Deploys some of the schedules; if a deployment is under way, it deploys nothing."""
    before = [act for act in stage.acts if isinstance(act, Deployment)]
    if before and not before[-1].acked_ms:
        return
    world = stage.world
    drawn = [*random.sample(_SCHEDULES, random.randint(1, 3)), *more]
    wanted = {one["name"]: {**one, **_SHARED} for one in drawn}
    act = Deployment("deploy", "", world.epoch_us() / 1000, wanted=wanted)
    stage.acts.append(act)
    tries = iter(range(_TRIES))

    def run() -> bool:
        assert world.running is not None
        act.tries[world.running.name] = world.epoch_us() / 1000
        declared_handlers.publish(one["target"]["handler"] for one in wanted.values())
        try:
            act.said = code_schedules.register(wanted.values(), TENANT)
        except Problem:
            # The tenant has as many tasks as it may: the deployment has failed.
            return False
        act.acked_ms, act.by = world.epoch_us() / 1000, world.running.name
        return True

    def ended(process: Process) -> None:
        if not process.result and next(tries, None) is not None:
            at_sec = world.now_us / 1_000_000 + 1
            world.spawn("deploy", run, at_sec=at_sec, ended=ended, limit_sec=_TAKES_SEC)

    world.spawn("deploy", run, ended=ended, limit_sec=_TAKES_SEC)
