"""Laws of claims: made by a clock that is right, and left to their dispatcher for its time."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.timings import CLAIM_SEC
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage

# Answers carry whole seconds, and each took a moment: so far a clock may be off uncorrected, and
# so far after it was corrected by the middle of what is certain.
_UNSEEN_MS, _CORRECTED_MS = 1_060, 560


def made_on_time(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a dispatcher claims by the store's time, where each answer it
    had came at once.
    """
    profile = stage.world.profile
    if not profile.skew_ms or profile.slow or profile.clock_steps or profile.freezes:
        return
    claimers = {
        one.writer: one.skew_ms
        for one in journal.changes
        if one.before is None and one.writer is not None and one.writer.kind == "dispatch"
    }
    hurt = befallen(stage)
    for writer, off_ms in claimers.items():
        if "/" in writer.name or writer.name in hurt:
            continue
        most = _CORRECTED_MS if stage.corrected.get(writer.name) else _UNSEEN_MS
        if abs(off_ms) > most:
            yield f"by a wrong clock: {writer.name} claims {off_ms} ms before or after the time"


def left_alone(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no dispatcher takes over what another one, which may be alive, has claimed just
    now.
    """
    claimed: dict[str, Process] = {}
    for change in journal.changes:
        if not _claims(change):
            continue
        writer = change.writer
        assert writer is not None
        other = claimed.get(change.run_id)
        claimed[change.run_id] = writer
        if other is None or other is writer:
            continue
        since_ms = _began_ms(stage, journal, other) + CLAIM_SEC * 1000 - 2 * SKEW_MS
        if change.at_ms < since_ms:
            early = (since_ms - change.at_ms) / 1000
            yield f"taken too soon: {change.run_id} by {writer.name}, {early:.1f} s"


def _claims(change: Change) -> bool:
    """Tells whether a dispatcher makes the claim its own with this write."""
    before, after = change.before, change.after
    if after is None or after.status != "claimed" or after.attempt or change.writer is None:
        return False
    fresh = before is None or before.life.get("claim_id") != after.life.get("claim_id")
    return fresh and change.writer.kind == "dispatch"


def _began_ms(stage: Stage, journal: Journal, process: Process) -> float:
    """Returns when a dispatcher had its first answer: it began a moment before."""
    began_us = next(entry[0] for entry in stage.world.trace if entry[1] is process)
    return journal.start_ms + began_us / 1000
