"""Functions, whole modules and single lines that no history reaches, and the tests that do."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NEW = "each process of a history begins with nothing to forget: tests/api/kit.py"

_BY_REASON = {
    _NEW: "api/views/agenda_source.py:forget",
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}

# Lines by their text, in any function.
_BY_TEXT = {
    r"raise LookupError\(": "is there for the type checker: every caller has what it names",
    r"raise BusyError\(.*\b(kept (changing|moving)|tries)\b": (
        "needs a lost race or a lost answer at each of its tries: tests/registry/test_gives_up.py, "
        "tests/registry/test_run_cancel.py"
    ),
    r"raise$": "passes on an error other than a busy store, which would be our own mistake",
}
_CALLER = "is a mistake of the caller, who asks once: "
_GONE = "needs an item that is gone, which TTL or a restore alone take away: "
_ILLEGIBLE = "needs an item of a form that this release cannot read: "
_LOST = "needs a lost race at each of its tries, and the message comes back as after any failure"
_ONCE = "is the second pass of a deployment's step, which finds nothing to do: "
_RARE = "is met by less than one history of some thousands: "
_REFUSED = "needs SQS to refuse one message at each of its tries: "
_SIZE = "needs more than a history holds: "
# Lines by their function and how they begin.
_LINES: Mapping[str, tuple[str, ...]] = {
    "would be a statement of ours that no store takes": (
        "store/conditional_writer.py:_outcome: raise RuntimeError",
    ),
    f"{_SIZE}tests/api/views/test_agenda_source.py": (
        "api/views/agenda_source.py:_remember: del _known",
    ),
    f"{_SIZE}tests/work/gates/test_late_runs.py": ("work/gates/late_runs.py:_oldest: break",),
    f"{_SIZE}tests/dispatch/test_range_rows.py": (
        'registry/unclaimed_slots.py:_ranges: stretches = [("", [*slots])]',
        "registry/unclaimed_slots.py:_ranges: last = task.schedule.prev",
        "registry/unclaimed_slots.py:_ranges: records[-1] = replace",
    ),
    f"{_SIZE}tests/upkeep/test_completed_schedules_turns.py": (
        "upkeep/completed_schedules.py:note: break",
    ),
    "needs a year of rows behind the newest one, which no history has": (
        "upkeep/completed_schedules.py:_any_open: return False",
    ),
    f"{_CALLER}tests/registry/test_resolved_calendars.py": (
        "registry/calendar_edits.py:resolve: message = ",
        "registry/calendar_edits.py:resolve: fault = ",
        "registry/calendar_edits.py:resolve: raise Problem",
    ),
    f"{_CALLER}tests/work/test_target_call.py, tests/moto/test_large_payloads.py": (
        "work/target_call.py:deliver: return Dead(Reason.PERMANENT",
        "work/target_call.py:complete: return _unfit",
    ),
    f"{_CALLER}tests/work/test_target_table.py": ("work/target_table.py:_python: return Dead(",),
    f"{_CALLER}tests/api/runs/test_dead_letters.py": ("upkeep/dead_letters.py:find: return",),
    f"{_CALLER}tests/work/outside/test_lease_answers.py": (
        "work/outside/lease_answers.py:_held: return None, None",
        "work/outside/lease_answers.py:extend: return Told.MISSING",
        "work/outside/lease_answers.py:settle: return Told.MISSING",
        "work/outside/lease_answers.py:standing: return Told.MISSING",
    ),
    f"{_GONE}tests/registry/test_oneoff_flow.py": (
        'registry/oneoff_flow.py:_same: raise Problem("not_found"',
        "registry/oneoff_flow.py:cancel: return None",
    ),
    f"{_GONE}tests/upkeep/test_claims_audit.py": (
        "upkeep/claims_audit.py:_still_missing: return False",
    ),
    f"{_GONE}tests/launch/test_backfill_flow.py": ("work/gates/overlap.py:guards: return False",),
    f"{_GONE}tests/dispatch/test_misfire.py": (
        "work/max_runs_return.py:_with_its_place: return conditional_writer.write_one(write)",
    ),
    "needs a row that is gone while it is worked with, which TTL never takes so soon": (
        "upkeep/dead_letters.py:_purge: return False",
        "dispatch/extra_runs.py:launched: raise BusyError",
        "work/settlement.py:_recognise: job.over = True",
    ),
    f"{_ILLEGIBLE}tests/upkeep/test_completed_schedules.py, tests/upkeep/test_after_restore.py": (
        "registry/unclaimed_slots.py:_open_slots: return",
        "upkeep/completed_schedules.py:_read: known = None",
        "upkeep/pauses_due.py:_see_to: return",
        "dispatch/range_rows.py:_resolve_inside: return None",
        "upkeep/after_restore.py:mend_pauses: continue",
        "upkeep/new_tzdata.py:_following: return None",
    ),
    f"{_ILLEGIBLE}tests/upkeep/test_claims_audit.py": (
        "upkeep/claims_audit.py:_still_missing: return True",
    ),
    f"{_ONCE}tests/upkeep/test_completed_schedules.py": (
        "upkeep/completed_schedules.py:list_those_before: return",
    ),
    "needs two deployments that bound the same tenants in the same second": (
        "registry/tenant_limits.py:bound: return []",
    ),
    f"{_ONCE}tests/upkeep/test_new_tzdata.py": ("upkeep/new_tzdata.py:retime: return",),
    _LOST: (
        "work/gates/overlap.py:acquire: return Back()",
        "work/outside/lease_answers.py:extend: return Told.LOST",
        "work/gates/key_gate.py:_turn: return 0",
        "work/gates/key_gate.py:_waits: return Back()",
    ),
    f"{_RARE}tests/work/test_awaited_completion.py": (
        "work/awaited_completion.py:_given_up: return Stopped(",
    ),
    f"{_RARE}tests/launch/test_backfill_flow.py": (
        "launch/backfill_flow.py:_all_at_once: return loop",
        "launch/backfill_flow.py:_free: return False",
    ),
    f"{_RARE}tests/work/gates/test_late_runs.py": (
        "work/gates/late_runs.py:look_again: _send(first)",
    ),
    f"{_RARE}tests/dispatch/test_claim.py": ("dispatch/tick.py:fate_of: return Fate.LEFT",),
    f"{_RARE}tests/dispatch/test_dispatcher.py": (
        "dispatch/plan_effects.py:_taking: life = claim.run.life",
        "dispatch/plan_effects.py:_taking: return run_writes.miss_claim(",
    ),
    f"{_RARE}tests/store/test_run_inputs.py": (
        "upkeep/dead_letters.py:_purge: conditional_writer.write_one(side_item",
        "store/run_inputs.py:of_version: task = tasks.readable",
        "store/run_inputs.py:of_version: task = ",
        "launch/replay.py:_payload: said = task.payload",
        "launch/replay.py:chosen: return None",
        "launch/replay.py:replay: return None",
    ),
    f"{_RARE}tests/flows": (
        "registry/calendar_edits.py:_recompute: return False",
        "dispatch/dispatcher.py:_behind_ranges: return None",
        "upkeep/events/notifications.py:_by_batch: continue",
        "dispatch/extra_runs.py:_ours: return False",
        "work/outside/lease_answers.py:settle: return Told.LOST",
        "work/gates/key_gate.py:_names: return False",
        "work/outside/lease.py:_leased: conclude(job.held, task, call)",
        "work/outside/lease.py:_leased: return None",
        "upkeep/bulk_operations.py:stop: return seen",
        "upkeep/bulk_operations.py:_stopped: return Decision(seen)",
        "dispatch/range_rows.py:record_range: return None",
        "work/refill.py:Refill._admitted: return []",
        "registry/schedule_actions.py:create_with: break",
    ),
    "needs a queue that refuses to be read, which is our own mistake: tests/work/test_refill.py": (
        "work/refill.py:Refill.taken: self.closes = 0.0",
        "work/refill.py:_receive: _log.exception",
        "work/refill.py:_receive: return None",
    ),
    "needs an execution that AWS does not stop although it was asked to": (
        "work/awaited_completion.py:look: return Back()",
    ),
    "needs an execution that AWS does not stop at once: tests/work/test_awaited_completion.py": (
        "work/no_start.py:_over: return",
    ),
    f"{_REFUSED}tests/work/gates/test_called.py": (
        "store/run_messages.py:wake: names =",
        "store/run_messages.py:wake: raise BusyError(",
    ),
    "needs SQS to refuse the one message by which a run is handed over": (
        "work/outside_handover.py:hand_over: return Back()",
    ),
    "needs a task that is deleted between a fetch and its start, of a run that no edit stamps": (
        "work/outside/lease.py:_leased: conclude(job.held, task, job.answer)",
    ),
    "needs a quota lifted while a run is held: tests/work/gates/test_tenant_quota_lifted.py": (
        "work/gates/tenant_quota.py:_enter: return [*answers, *((_under",
    ),
    "needs a store that refuses while a process is to end": (
        "work/worker.py:_harmful: return True",
    ),
    "only says that no kind of answer was left out: tests/work/outside/test_lease_answers.py": (
        "work/outside/lease_answers.py:_came_of: return False",
    ),
}
LINES = {line: reason for reason, lines in _LINES.items() for line in lines}


def why_missed(function: str, text: str) -> str:
    """Says why no history needs to reach this line of a function; empty if there is no reason."""
    for pattern, reason in _BY_TEXT.items():
        if re.match(pattern, text):
            return reason
    line = f"{function}: {text}"
    return next((reason for start, reason in LINES.items() if line.startswith(start)), "")
