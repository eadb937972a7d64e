"""Functions, or whole modules, that no history enters, with what holds them instead."""

from __future__ import annotations

_IMPORTED = "wraps the targets on import, before anybody marks what is reached: `queues` calls it"
_NEW = "each process of a history begins with nothing to forget: tests/api/kit.py"

_BY_REASON = {
    _IMPORTED: "flows/targets.py:_judged",
    _NEW: "flows/agenda.py:forget flows/pulse.py:forget",
}
UNCOVERED = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
