"""Functions, whole modules and single lines that no history reaches, and the tests that do."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NEW = "each process of a history begins with nothing to forget: tests/api/kit.py"

_BY_REASON = {
    _NEW: "flows/agenda.py:forget flows/pulse.py:forget",
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}

# Lines by their text, in any function.
_BY_TEXT = {
    r"raise LookupError\(": "is there for the type checker: every caller has what it names",
    r"raise BusyError\(.*\b(kept (changing|moving)|tries)\b": (
        "needs a lost race or a lost answer at each of its tries: tests/flows/test_gives_up.py, "
        "tests/flows/test_cancel.py"
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
        "adapters/claims.py:_outcome: raise RuntimeError",
    ),
    f"{_SIZE}tests/flows/test_agenda.py": ("flows/agenda.py:_remember: del _known",),
    f"{_SIZE}tests/flows/test_catching.py": ("flows/catching.py:_oldest: break",),
    f"{_SIZE}tests/flows/test_ranges.py": (
        'flows/books.py:_ranges: stretches = [("", [*slots])]',
        "flows/books.py:_ranges: last = task.schedule.prev",
        "flows/books.py:_ranges: records[-1] = replace",
    ),
    f"{_SIZE}tests/flows/test_exhausted_turns.py": ("flows/exhausted.py:note: break",),
    "needs a year of rows behind the newest one, which no history has": (
        "flows/exhausted.py:_any_open: return False",
    ),
    f"{_CALLER}tests/flows/test_resolve.py": (
        "flows/calendars.py:resolve: message = ",
        "flows/calendars.py:resolve: fault = ",
        "flows/calendars.py:resolve: raise Problem",
    ),
    f"{_CALLER}tests/flows/test_deliver.py, tests/moto/test_large_payloads.py": (
        'flows/deliver.py:deliver: return Dead("permanent"',
        "flows/deliver.py:complete: return _unfit",
    ),
    f"{_CALLER}tests/flows/test_targets.py": ("flows/targets.py:_python: return Dead(",),
    f"{_CALLER}tests/api/test_dead_letters.py": ("flows/dead_letters.py:find: return",),
    f"{_CALLER}tests/flows/test_holding.py": (
        "flows/holding.py:_held: return None, None",
        "flows/holding.py:extend: return Told.MISSING",
        "flows/holding.py:settle: return Told.MISSING",
        "flows/holding.py:standing: return Told.MISSING",
    ),
    f"{_GONE}tests/flows/test_oneoffs.py": (
        'flows/oneoffs.py:_same: raise Problem("not_found"',
        "flows/oneoffs.py:cancel: return None",
    ),
    f"{_GONE}tests/flows/test_audit.py": (
        "flows/audit.py:_still_missing: return False",
        "flows/cancel.py:cancel: return None",
    ),
    f"{_GONE}tests/flows/test_backfill.py": ("flows/gate.py:guards: return False",),
    f"{_GONE}tests/flows/test_misfire.py": (
        "flows/given_back.py:_with_its_place: return claims.write_one(write)",
    ),
    "needs a row that is gone while it is worked with, which TTL never takes so soon": (
        "flows/dead_letters.py:_purge: return False",
        "flows/extra.py:launched: raise BusyError",
        "flows/settling.py:_recognise: job.over = True",
    ),
    f"{_ILLEGIBLE}tests/flows/test_exhausted.py, tests/flows/test_restored.py": (
        "flows/books.py:_open_slots: return",
        "flows/exhausted.py:_read: known = None",
        "flows/pauses.py:_see_to: return",
        "flows/ranges.py:_resolve_inside: return None",
        "flows/restored.py:mend_pauses: continue",
        "flows/retime.py:_following: return None",
    ),
    f"{_ILLEGIBLE}tests/flows/test_audit.py": ("flows/audit.py:_still_missing: return True",),
    f"{_ONCE}tests/flows/test_exhausted.py": ("flows/exhausted.py:list_those_before: return",),
    "needs two deployments that bound the same tenants in the same second": (
        "flows/bounding.py:bound: return []",
    ),
    f"{_ONCE}tests/flows/test_retime.py": ("flows/retime.py:retime: return",),
    _LOST: (
        "flows/gate.py:acquire: return True",
        "flows/holding.py:extend: return Told.LOST",
        "flows/keyed.py:_turn: return 0",
        "flows/keyed.py:_has_place: return False",
    ),
    f"{_RARE}tests/flows/test_awaiting.py": ("flows/awaiting.py:_given_up: return Stopped(",),
    f"{_RARE}tests/flows/test_backfill.py": (
        "flows/backfill.py:_all_at_once: return loop",
        "flows/backfill.py:_free: return False",
    ),
    f"{_RARE}tests/flows/test_catching.py": ("flows/catching.py:look_again: _send(first)",),
    f"{_RARE}tests/flows/test_dispatch.py": (
        "flows/firing.py:_taking: life = claim.run.life",
        "flows/firing.py:_taking: return moves.miss_claim(",
    ),
    f"{_RARE}tests/flows/test_history.py": (
        "flows/dead_letters.py:_purge: claims.write_one(side_item",
        "flows/history.py:of_version: spec = ",
        "flows/history.py:of_version: task = ",
        "flows/replay.py:_payload: said = task.payload",
        "flows/replay.py:chosen: return None",
        "flows/replay.py:replay: return None",
    ),
    f"{_RARE}tests/flows": (
        "flows/calendars.py:_recompute: return False",
        "flows/dispatch.py:_behind_ranges: return None",
        "flows/events.py:_by_batch: continue",
        "flows/extra.py:_ours: return False",
        "flows/holding.py:settle: return Told.LOST",
        "flows/keyed.py:_names: return False",
        "flows/keyed.py:_wake: raise BusyError",
        "flows/lease.py:_leased: conclude(job.held, job.task, call)",
        "flows/lease.py:_leased: return None",
        "flows/loops.py:stop: return seen",
        "flows/ranges.py:record_range: return None",
        "flows/refill.py:Refill._admitted: return []",
        "flows/register.py:create_with: break",
    ),
    "needs a queue that refuses to be read, which is our own mistake: tests/flows/test_refill.py": (
        "flows/refill.py:Refill.taken: self.closes = 0.0",
        "flows/refill.py:_receive: _log.exception",
        "flows/refill.py:_receive: return None",
    ),
    "needs an execution that AWS does not stop although it was asked to": (
        "flows/awaiting.py:look: return",
    ),
    "needs an execution that AWS does not stop at once: tests/flows/test_awaiting.py": (
        "flows/no_start.py:leave: return",
    ),
    f"{_REFUSED}tests/flows/test_called.py": ("flows/line.py:_call_first: raise BusyError(",),
    f"{_REFUSED}tests/flows/test_catching.py": (
        "flows/catching.py:_send: raise BusyError(",
        "flows/catching.py:stays: return True",
    ),
    "needs SQS to refuse the one message by which a run is handed over": (
        "flows/handing.py:hand_over: return",
    ),
    "needs a task that is deleted between a fetch and its start, of a run that no edit stamps": (
        "flows/lease.py:_leased: conclude(job.held, job.task, job.answer)",
    ),
    "needs a quota that is lifted while a run is held: tests/flows/test_permits_lifted.py": (
        "flows/permits.py:_enter: return entered +",
    ),
    "needs a store that refuses while a process is to end": (
        "flows/strays.py:_harmful: return True",
    ),
    "only says that no kind of answer was left out: tests/flows/test_holding.py": (
        "flows/holding.py:_came_of: return False",
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
