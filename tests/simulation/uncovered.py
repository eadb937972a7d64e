"""Functions, or whole modules, that no history enters, with what holds them instead."""

from __future__ import annotations

_LARGE = "a large payload lies in S3, which the world has not: tests/moto/test_large_payloads.py"
_API = "only the API's handlers enter it, which no history calls yet"
_LIST = "answers a reader and decides nothing about a run"
_OUTSIDE = "no task of a history is handed over to outside workers: tests/flows/test_pull.py"
_TARGET = "a history calls no target that refuses by AWS's words: tests/targets"
_AUDIT = "the audit's rarer work is played by tests/flows alone"
_WEBHOOK = "an exchange with a server, which the world has not: tests/targets/test_events.py"
_SWEEP = "no history has large payloads: tests/moto/test_sweep.py"
_RESTORE = (
    "no history restores a table: tests/flows/test_restored.py, tests/engines/test_restored.py"
)

_BY_REASON = {
    _LARGE: "adapters/blobs.py flows/replay.py:payload_of",
    _API: """
        flows/bounding.py:_begin flows/bounding.py:_used flows/bounding.py:_with_items
        flows/bounding.py:bound flows/bounding.py:unbound flows/calendars.py:read
        flows/calendars.py:compiled flows/calendars.py:write
        flows/calendars.py:remove flows/calendars.py:named_by flows/calendars.py:step
        flows/calendars.py:_passed flows/calendars.py:_recompute flows/calendars.py:_reclosed
        flows/calendars.py:_blackouts flows/calendars.py:_together
        flows/dead_letters.py flows/declared.py flows/define.py:tell flows/names.py
        flows/extra.py:_ours flows/extra.py:relaunched flows/handlers.py flows/identity.py:new_id
        flows/keys.py flows/line.py:limits flows/loops.py:read flows/loops.py:stop
        flows/oneoffs.py flows/permits.py:all_taken flows/pulse.py:forget flows/recount.py:recount
        flows/register.py:create_many flows/replay.py:patched
        flows/backfill.py:_all_at_once flows/backfill.py:plan flows/pauses.py:tell
    """,
    _LIST: """
        flows/agenda.py flows/recent.py flows/waiting.py flows/pulse.py:recent
        flows/tallies.py:newest
    """,
    _OUTSIDE: """
        flows/handing.py:hand_over flows/holding.py:standing flows/bury.py:_waits
    """,
    _TARGET: """
        flows/targets.py:_judged flows/deliver.py:_unfit
    """,
    _AUDIT: """
        flows/retime.py flows/exhausted.py:list_all flows/exhausted.py:list_those_before
        flows/bury.py:_ended
    """,
    _WEBHOOK: """
        flows/events.py:_by_webhook flows/events.py:_webhook flows/events.py:_signing_keys
    """,
    _SWEEP: "flows/sweep.py:_sort_out flows/sweep.py:_named",
    _RESTORE: "flows/restored.py",
    "needs an edit that leaves very many slots behind: tests/flows/test_books.py": (
        "flows/books.py:_range"
    ),
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
