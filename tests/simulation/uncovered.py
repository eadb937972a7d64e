"""Functions, or whole modules, that no history enters, with what holds them instead."""

from __future__ import annotations

_LARGE = "a large payload is put and got by handlers only: tests/moto/test_large_payloads.py"
_API = "no user of a history asks for it: tests/api"
_RARE = "few histories come to it: tests/api/test_tried_again.py, tests/api/test_quota.py"
_LIST = "answers a reader and decides nothing about a run"
_STEPS = "no machine of a history records steps: tests/api/test_run_steps.py"
_LINES = "no dead letter of a history names a run that waits: tests/flows/test_bury.py"
_TARGET = "a history calls no target that refuses by AWS's words: tests/targets"
_WEBHOOK = "an exchange with a server, which the world has not: tests/targets/test_events.py"

_BY_REASON = {
    _LARGE: "adapters/blobs.py:put adapters/blobs.py:get adapters/blobs.py:_got",
    _API: """
        flows/permits.py:all_taken flows/pulse.py:forget flows/keys.py:make_first
    """,
    _RARE: "flows/catchup.py:_go_on flows/extra.py:_ours flows/recount.py:recount",
    _LIST: """
        flows/agenda.py:_is_fresh flows/agenda.py:neighbours flows/agenda.py:forget
        flows/recent.py:Walk.behind
    """,
    _STEPS: "flows/holding.py:standing",
    _LINES: "flows/bury.py:_waits",
    _TARGET: """
        flows/targets.py:_judged flows/deliver.py:_unfit
    """,
    _WEBHOOK: """
        flows/events.py:_by_webhook flows/events.py:_webhook flows/events.py:_signing_keys
    """,
    "needs an edit that leaves very many slots behind: tests/flows/test_books.py": (
        "flows/books.py:_range"
    ),
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
