"""The modules that are changed: every flow, and what decides about tasks and runs."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath

from tests.mutation.code import ROOT
from tests.tidy.imports import effectful

ROOMS = ("dispatch", "launch", "work", "registry", "upkeep")
# Flows of rooms that hold much else.
_FLOWS = """
    api.views.agenda_source store.conditional_writer store.payloads store.run_inputs
    store.run_messages store.schedule_names store.stored_runs store.tasks targets.aws.executions
    targets.current_rules targets.python.cloud_context targets.python.previous_success
    targets.python.step_effects upkeep.separate_steps
""".split()
# They only pass on what a service says.
_SERVICES = ("onthedot.upkeep.events.destinations", "onthedot.upkeep.queue_depth")
_PURE = """
    dispatch.tick dispatch.due_plan launch.backfill launch.resume_catchup records.runs.attempts
    records.runs.manifest records.runs.max_runs records.runs.overlap_gate records.runs.pull
    records.runs.run_row records.runs.run_writes records.runs.stale_settles
    records.runs.edited_slots records.runs.steps records.runs.tenant_permits
    records.tasks.bulk_operation records.tasks.exhausted_schedules records.tasks.pause_ends
    records.tasks.task_cursor records.tasks.task_items registry.edit_writes
    registry.lifecycle schedule.blackouts schedule.calendar_times
    schedule.dst_stretches schedule.slots store.backoff store.call_allowance
    store.clock targets.attempt_outcome upkeep.ledger work.decision_table
    work.gates.concurrency_key
""".split()


@cache
def flows() -> list[str]:
    """Names the modules whose effects are put in an order."""
    ours = [name for name in _modules() if name.split(".")[1] in ROOMS]
    reaching = effectful({name: _text(name) for name in _modules()})
    found = {*(name for name in ours if name in reaching), *_named(_FLOWS)}
    return sorted(found.difference(_SERVICES))


def modules() -> list[str]:
    return [*flows(), *_named(_PURE)]


@cache
def _modules() -> list[str]:
    files = sorted((ROOT / "onthedot").rglob("*.py"))
    paths = [PurePath(file).relative_to(ROOT).with_suffix("") for file in files]
    return [".".join(path.parts) for path in paths if path.name != "__init__"]


def _named(names: list[str]) -> list[str]:
    return [f"onthedot.{name}" for name in names]


def _text(module: str) -> str:
    return (ROOT / f"{module.replace('.', '/')}.py").read_text()
