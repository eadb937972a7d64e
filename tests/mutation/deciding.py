"""The modules that are changed: every flow, and what of the core decides about tasks and runs."""

from __future__ import annotations

from tests.mutation.code import ROOT

_CORE = """
    allowance attempts backfill backoff blackouts bound calendars catchup claim deaths decide due
    edit edit_writes exhausted gaps gate keyed ledger lifecycle loop manifest moves once pauses plan
    policy pull quota registered run skew slots stale stamping stretches
""".split()


def flows() -> list[str]:
    return sorted(
        f"onthedot.flows.{file.stem}"
        for file in (ROOT / "onthedot" / "flows").glob("*.py")
        if file.stem != "__init__"
    )


def modules() -> list[str]:
    return [*flows(), *(f"onthedot.core.{name}" for name in _CORE)]
