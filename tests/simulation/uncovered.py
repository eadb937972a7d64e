"""Functions, or whole modules, that no history enters, with what holds them instead."""

from __future__ import annotations

_LARGE = "a large payload is put and got by handlers only: tests/moto/test_large_payloads.py"
_API = "no user of a history asks for it: tests/api"
_LIST = "answers a reader and decides nothing about a run"
_OUTSIDE = "no task of a history is handed over to outside workers: tests/flows/test_pull.py"
_TARGET = "a history calls no target that refuses by AWS's words: tests/targets"

_BY_REASON = {
    _LARGE: "adapters/blobs.py:put adapters/blobs.py:get adapters/blobs.py:_got",
    _API: """
        flows/permits.py:all_taken flows/pulse.py:forget
    """,
    _LIST: """
        flows/agenda.py:_is_fresh flows/agenda.py:neighbours flows/agenda.py:forget
        flows/recent.py:Walk.behind
    """,
    _OUTSIDE: """
        flows/handing.py:hand_over flows/holding.py:standing flows/bury.py:_waits
    """,
    _TARGET: """
        flows/targets.py:_judged flows/deliver.py:_unfit
    """,
    "needs an edit that leaves very many slots behind: tests/flows/test_books.py": (
        "flows/books.py:_range"
    ),
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
