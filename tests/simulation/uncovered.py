"""Functions, or whole modules, that no history enters, with what holds them instead."""

from __future__ import annotations

_API = "no user of a history asks for it: tests/api"
_RARE = "few histories come to it: tests/api/test_tried_again.py, tests/api/test_quota.py"
_LIST = "answers a reader and decides nothing about a run"
_IMPORTED = "wraps the targets on import, before anybody marks what is reached: `queues` calls it"
_NEW = "each process of a history begins with nothing to forget: tests/api/kit.py"
_OUTSIDE = "no task of a history is handed over to outside workers: tests/flows/test_pull.py"

_BY_REASON = {
    _API: """
        flows/pulse.py:forget flows/keys.py:make_first
        flows/permits.py:all_taken flows/keys.py:make_first
    """,
    _RARE: "flows/catchup.py:_go_on flows/extra.py:_ours flows/recount.py:recount",
    _NEW: "flows/agenda.py:forget flows/pulse.py:forget",
    _OUTSIDE: """
        flows/handing.py:hand_over flows/holding.py:standing
    """,
    _IMPORTED: "flows/targets.py:_judged",
    "needs an edit that leaves very many slots behind: tests/flows/test_books.py": (
        "flows/books.py:_range"
    ),
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
