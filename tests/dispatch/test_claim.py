"""A slot whose row is there already: ours, done, to be taken over, or left to its owner."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.dispatch.tick import Claim, Fate, fate_of
from onthedot.records.runs.run_status import FINAL
from tests.schedule.samples import NOON_MS, due, run

FIRES = Claim(due=due(), run=run(claim_id="D1"))
MISSED = Claim(due=due(), run=run(status="missed", reason="outside_grace", claim_id="D1"))
THEIRS: dict[str, Any] = {"claim_id": "D2", "claim_until": NOON_MS}


@pytest.mark.parametrize(
    ("row", "now_ms", "force", "fires", "missed"),
    [
        ({"claim_id": "D1"}, 0, False, Fate.MINE, Fate.MINE),
        (THEIRS, NOON_MS, False, Fate.LEFT, Fate.LEFT),
        (THEIRS, NOON_MS + 1, False, Fate.TAKE, Fate.TAKE),
        (THEIRS, 0, True, Fate.TAKE, Fate.TAKE),
        (THEIRS | {"status": "retrying", "attempt": 1}, NOON_MS + 1, True, Fate.DONE, Fate.DONE),
        (THEIRS | {"status": "running", "attempt": 1}, NOON_MS + 1, False, Fate.DONE, Fate.DONE),
        ({"claim_id": "D1", "status": "running", "attempt": 1}, 0, False, Fate.DONE, Fate.DONE),
        *((THEIRS | {"status": final}, NOON_MS + 1, True, Fate.DONE, Fate.DONE) for final in FINAL),
    ],
)
def test_the_row_decides(
    row: dict[str, Any], now_ms: int, fires: Fate, missed: Fate, *, force: bool
) -> None:
    seen = run(**row)

    assert fate_of(FIRES, seen, "D1", now_ms, force=force) is fires
    assert fate_of(MISSED, seen, "D1", now_ms, force=force) is missed


def test_a_record_of_ours_whose_answer_was_lost_is_ours() -> None:
    assert fate_of(MISSED, MISSED.run, "D1", NOON_MS, force=False) is Fate.MINE


def test_a_row_that_is_not_there_after_all_is_left_to_the_next_tick() -> None:
    assert fate_of(FIRES, None, "D1", NOON_MS, force=True) is Fate.LEFT


def test_only_what_is_claimed_fires() -> None:
    assert FIRES.fires
    assert not MISSED.fires
    assert FIRES.ticket.attempt == 1
    assert FIRES.address == ("normal", "acme", NOON_MS, 25)
