"""Planted faults: each leaves one rule of the protocol out, and some history must break a law."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.simulation.histories import verdict
from tests.simulation.mutants.mutant import Mutant, Patch
from tests.simulation.mutants.running import (
    mutants_backoff,
    mutants_calls,
    mutants_cancels,
    mutants_history,
    mutants_keys,
    mutants_late,
    mutants_leases,
    mutants_lines,
    mutants_messages,
    mutants_misfire,
    mutants_moved,
    mutants_outcomes,
    mutants_patience,
    mutants_pull,
    mutants_room,
    mutants_starts,
    mutants_targets,
    mutants_tenants,
    mutants_work,
    mutants_workers,
    mutants_world,
)
from tests.simulation.mutants.upkeep import (
    mutants_api,
    mutants_audit,
    mutants_begun,
    mutants_beside,
    mutants_bound,
    mutants_calendars,
    mutants_circuit,
    mutants_cost,
    mutants_dispatch,
    mutants_edit_order,
    mutants_edits,
    mutants_exhausted,
    mutants_foretold,
    mutants_pauses,
    mutants_read,
    mutants_rooms,
    mutants_ticks,
    mutants_told,
    mutants_walls,
    mutants_write,
)
from tests.simulation.profiles.all_profiles import ALL

__all__ = ["MUTANTS", "Mutant", "Patch", "killed_by", "planted"]


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Put it into the flows for a while."""
    patches = mutant.patches()
    before = [getattr(module, name) for module, name, _ in patches]
    for module, name, changed in patches:
        setattr(module, name, changed)
    try:
        yield
    finally:
        for (module, name, _), original in zip(patches, before, strict=True):
            setattr(module, name, original)


def killed_by(mutant: Mutant, seeds: range | None = None) -> Iterator[tuple[str, int, list[str]]]:
    """Every history that shows it."""
    with planted(mutant):
        for seed in seeds or range(mutant.seed, mutant.seed + mutant.within):
            for name in mutant.profiles:
                if laws := verdict(ALL[name], seed):
                    _check_sound(mutant, laws)
                    yield name, seed, laws


def _check_sound(mutant: Mutant, laws: list[str]) -> None:
    """A mutant that no longer fits the flow it is planted in proves nothing."""
    for law in laws:
        if any(error in law for error in ("TypeError", "AttributeError", "NameError")):
            raise AssertionError(f"the mutant {mutant.name!r} does not fit any more: {law}")


MUTANTS = (
    # What F1 to F20 of the findings give.
    Mutant("ended", "F1: an exhausted task is not ended", mutants_dispatch.ended, ("crashes",)),
    Mutant(
        "version",
        "F2: another version is not another slot",
        mutants_work.version,
        ("races",),
        seed=36,
    ),
    Mutant("no stamp", "F3, L5: version before acknowledgement", mutants_write.stamp, ("races",)),
    Mutant("not again", "F3: what no stamp reaches", mutants_write.not_again, ("put off late",)),
    Mutant("same again", "F3: who finds it so stamps it too", mutants_write.same_again, ("again",)),
    Mutant(
        "skip early", "F4, L4: nobody skips before the due time", mutants_work.early, ("races",)
    ),
    Mutant(
        "no books",
        "F5: the books are closed first",
        mutants_write.books,
        ("edits", "edits bare"),
        seed=10,
    ),
    Mutant(
        "orphans", "F6: the API sends what it moves away", mutants_write.orphans, ("orphans bare",)
    ),
    Mutant(
        "any state",
        "F7, L3: a start names the state it saw",
        mutants_work.any_state,
        ("zombies",),
        seed=13,
    ),
    Mutant(
        "claim from now", "F8: a claim ends before the next tick", mutants_dispatch.late, ("late",)
    ),
    Mutant("busy is over", "F9, L2: BUSY never deletes", mutants_work.busy, ("crashes bare",)),
    Mutant("buried alive", "F9: bury loads before it ends a run", mutants_work.bury, ("buried",)),
    Mutant("no finish", "F10: OVER finishes", mutants_work.finish, ("closing bare",)),
    Mutant(
        "filled at once",
        "0040: a backfill goes one after another",
        mutants_write.filled_at_once,
        ("backfills",),
    ),
    Mutant("listed late", "F11: the manifest goes first", mutants_write.listed_late, ("triggers",)),
    Mutant(
        "never free",
        "0040: the next run of a backfill begins when none is open",
        mutants_write.never_free,
        ("backfills", "lines bare", "asked fills"),
    ),
    Mutant(
        "unfollowed",
        "0040: the end of a backfill's run makes the next one",
        mutants_write.unfollowed,
        ("backfills", "lines bare", "asked fills"),
    ),
    Mutant(
        "dispatched by its own clock",
        "a dispatcher goes by the store's clock",
        mutants_dispatch.uncorrected,
        ("skew", "asked keys"),
    ),
    Mutant(
        "anybody's claim",
        "F8: a claim is its dispatcher's for half a minute",
        mutants_dispatch.anybodys,
        ("two bare", "stale bare"),
    ),
    Mutant(
        "next slot",
        "a cursor stands at the slot that is due then, jitter and all",
        mutants_dispatch.next_slot,
        ("a second behind",),
    ),
    Mutant("one list", "F11: a list takes no other's place", mutants_dispatch.one_list, ("lists",)),
    Mutant(
        "no ranges",
        "F12: adopt, resolve, deadline, cover",
        mutants_dispatch.unguarded,
        ("covered all", "covered", "adopted"),
    ),
    Mutant(
        "no adopting",
        "F12: who was first says where it ends",
        mutants_dispatch.own_end,
        ("adopted",),
    ),
    Mutant(
        "no cover",
        "F12: a late start looks for a range",
        mutants_dispatch.no_cover,
        ("covered all",),
    ),
    Mutant("no margin", "F13: two clocks differ by 4 s", mutants_work.margin, ("skew", "stalls")),
    Mutant("no hold", "F15: a message comes early", mutants_work.hold, ("calm",)),
    Mutant(
        "twice a batch", "F16: one write an item a batch", mutants_work.twice, ("doubles",), seed=17
    ),
    Mutant("not mine", "F16: a lost answer is read back", mutants_work.not_mine, ("repeats",)),
    Mutant("mortal", "F18: an open row has no end of life", mutants_dispatch.mortal, ("calm",)),
    Mutant("place lost", "F19: a retrying run holds its place", mutants_work.place, ("gates",)),
    Mutant(
        "place lost by hint", "F19, row 11", mutants_work.place_by_hint, ("gates bare",), seed=24
    ),
    Mutant("cursor twice", "F20: an edit bumps the version", mutants_dispatch.aba, ("aba",)),
    Mutant(
        "slow answer",
        "a clock is corrected by what is certain",
        mutants_work.slow_answer,
        ("zombies", "stalls bare"),
        seed=8,
    ),
    # And the order of the effects, the fences, the packs.
    Mutant(
        "advance first", "send, then advance", mutants_dispatch.advance_first, ("crashes bare",)
    ),
    Mutant("losers advance", "only what is sent is passed", mutants_dispatch.losers, ("two bare",)),
    Mutant(
        "no takeover", "a dead dispatcher's claims", mutants_dispatch.no_takeover, ("crashes bare",)
    ),
    Mutant("no fence", "only the newest start settles", mutants_work.no_fence, ("zombies",)),
    Mutant(
        "settle first",
        "the retry's message, then settle",
        mutants_work.settle_first,
        ("retries bare",),
        seed=14,
    ),
    Mutant("release first", "wake, then release", mutants_work.release_first, ("closing bare",)),
    Mutant(
        "line forgotten",
        "an outcome first, then the gate forgets",
        mutants_work.forgotten,
        ("closing bare",),
        seed=640,
    ),
    Mutant("illegible", "a strange task is left aside", mutants_work.illegible, ("poison",)),
    Mutant("unsplit", "a pack that comes back is split", mutants_work.unsplit, ("poison",)),
    Mutant("parts dropped", "L2: SQS has each part", mutants_work.parts_dropped, ("refused bare",)),
    Mutant("together", "a suspect runs alone", mutants_work.together, ("killers",)),
    Mutant(
        "stranger",
        "0018: first sight waits for the lease",
        mutants_work.stranger,
        ("deaths",),
        seed=6,
    ),
    Mutant(
        "shut out", "0019: a suspect finds itself a place", mutants_work.stay, ("deaths",), seed=7
    ),
    Mutant(
        "planned twice",
        "one plan a task a dispatch",
        mutants_dispatch.planned_twice,
        ("stale bare",),
    ),
    Mutant("edge", "a slot counts by its due time", mutants_write.edge, ("calm",)),
    Mutant(
        "no poison", "an unplannable task is set aside", mutants_dispatch.no_quarantine, ("poison",)
    ),
    *mutants_calendars.CALENDARS,
    *mutants_foretold.FORETOLD,
    *mutants_ticks.TICKS,
    Mutant(
        "ended late",
        "0080: a pause is over at its end, whenever that is written",
        mutants_pauses.from_now,
        ("pauses",),
    ),
    Mutant(
        "over too soon",
        "0080: a pause is over at its end, not before",
        mutants_pauses.over_too_soon,
        ("slow look",),
    ),
    Mutant(
        "last second runs",
        "0080: what is due in the last second of a pause does not run",
        mutants_pauses.last_second_runs,
        ("pauses past a slot",),
    ),
    Mutant(
        "caught up ahead",
        "a resume runs what passed, and nothing of the future",
        mutants_pauses.ahead_of_time,
        ("asked pauses",),
    ),
    Mutant(
        "once paused",
        "0080: of two pauses the latest says until when",
        mutants_pauses.once_paused,
        ("asked pauses",),
    ),
    Mutant(
        "still the system's",
        "a person's pause is not probed",
        mutants_pauses.still_the_systems,
        ("probed in vain",),
    ),
    Mutant(
        "paused as written",
        "0080: the worker knows when a pause is over",
        mutants_pauses.as_written,
        ("pauses",),
    ),
    Mutant(
        "unlisted first",
        "0080: a pause is ended, then off the list",
        mutants_pauses.forgotten_first,
        ("pauses",),
        seed=10,
    ),
    Mutant(
        "no books of pauses",
        "F5: the books of a pause are closed, too",
        mutants_edits.no_books_of_pauses,
        ("edits", "pauses"),
        seed=10,
    ),
    Mutant(
        "from later",
        "an edit governs from its second on",
        mutants_edits.from_later,
        ("edits", "races"),
    ),
    Mutant(
        "fires nothing",
        "what is due runs",
        mutants_outcomes.fires_nothing,
        ("calm", "edits", "misfires"),
    ),
    Mutant(
        "newest coalesced", "the newest fires", mutants_outcomes.newest_coalesced, ("newest late",)
    ),
    Mutant(
        "grace halved",
        "nothing is missed before its grace is over",
        mutants_outcomes.grace_halved,
        ("misfires", "adopted", "bounded"),
    ),
    Mutant(
        "cancel forgotten",
        "a cancel that was answered ends the run",
        mutants_outcomes.cancel_forgotten,
        ("tenants", "extras"),
        seed=30,
    ),
    Mutant(
        "next tick only",
        "a slot is claimed ahead of its time",
        mutants_outcomes.next_tick_only,
        ("edits", "ticks"),
    ),
    Mutant("unasked", "a handler says when next", mutants_backoff.unasked, ("retries", "gates")),
    Mutant("doubled twice", "a wait has its cap", mutants_backoff.doubled_twice, ("retries",)),
    Mutant("key lost", "0064: a retry keeps its key's place", mutants_keys.place_lost, ("keys",)),
    Mutant("key kept", "0064: who leaves calls the next", mutants_keys.kept, ("keys bare",)),
    Mutant("unbooked", "0064: a start is booked behind others", mutants_keys.unbooked, ("keys",)),
    Mutant("late untold", "0187: a late start pushes others", mutants_keys.untold, ("rates slow",)),
    Mutant(
        "never behind",
        "0187: a rate holds in every window",
        mutants_keys.never_behind,
        ("rates", "rates slow"),
    ),
    Mutant(
        "runs left",
        "a partial advance counts its part",
        mutants_dispatch.runs_left,
        ("answers",),
        seed=9,
    ),
    Mutant("hasty", "0115: a dead letter may be anyone's", mutants_work.hasty, ("forged bare",)),
    Mutant("uncaught", "0115: no text ends a batch", mutants_work.uncaught, ("forged",)),
    *mutants_tenants.TENANTS,
    *mutants_bound.BOUNDS,
    *mutants_walls.WALLS,
    *mutants_exhausted.EXHAUSTED,
    *mutants_patience.PATIENCE,
    *mutants_lines.LINES,
    *mutants_misfire.MISFIRES,
    *(Mutant(*fault) for fault in mutants_world.FAULTS),
    *mutants_cost.COSTS,
    *mutants_edit_order.MUTANTS,
    *mutants_audit.MUTANTS,
    *mutants_api.MUTANTS,
    *mutants_beside.MUTANTS,
    *mutants_told.MUTANTS,
    *(Mutant(*each) for each in mutants_pull.PULL_FAULTS),
    *mutants_leases.LEASES,
    *mutants_targets.SERVICE_FAULTS,
    *mutants_read.MUTANTS,
    *mutants_rooms.ROOMS,
    *mutants_room.MUTANTS,
    *mutants_late.LATE,
    *mutants_circuit.CIRCUITS,
    *mutants_moved.MOVED,
    *mutants_calls.CALLS,
    *mutants_cancels.CANCELS,
    *mutants_workers.WORKERS,
    *mutants_messages.MESSAGES,
    *mutants_begun.BEGUN,
    *mutants_starts.STARTS,
    *mutants_history.MUTANTS,
)
