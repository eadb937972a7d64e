"""Planted faults: each leaves one rule of the protocol out, and some history must break a law."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.simulation import (
    mutants_api,
    mutants_audit,
    mutants_backoff,
    mutants_bound,
    mutants_calendars,
    mutants_cost,
    mutants_dispatch,
    mutants_edit_order,
    mutants_edits,
    mutants_exhausted,
    mutants_keys,
    mutants_leases,
    mutants_lines,
    mutants_outcomes,
    mutants_patience,
    mutants_pauses,
    mutants_pull,
    mutants_tenants,
    mutants_work,
    mutants_world,
    mutants_write,
)
from tests.simulation.histories import verdict
from tests.simulation.mutant import Mutant, Patch
from tests.simulation.profiles import ALL

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
    Mutant("version", "F2: another version is not another slot", mutants_work.version, ("races",)),
    Mutant("no stamp", "F3, L5: version before acknowledgement", mutants_write.stamp, ("races",)),
    Mutant(
        "not again",
        "F3: what no stamp reaches is looked at after its start",
        mutants_write.not_again,
        ("put off",),
        seed=230,
    ),
    Mutant("same again", "F3: who finds it so stamps it too", mutants_write.same_again, ("again",)),
    Mutant(
        "skip early", "F4, L4: nobody skips before the due time", mutants_work.early, ("races",)
    ),
    Mutant(
        "no books", "F5: the books are closed first", mutants_write.books, ("edits", "edits bare")
    ),
    Mutant(
        "orphans", "F6: the API sends what it moves away", mutants_write.orphans, ("orphans bare",)
    ),
    Mutant(
        "any state", "F7, L3: a start names the state it saw", mutants_work.any_state, ("zombies",)
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
    Mutant("one list", "F11: a list takes no other's place", mutants_dispatch.one_list, ("lists",)),
    Mutant(
        "no ranges",
        "F12: adopt, resolve, deadline, cover",
        mutants_dispatch.unguarded,
        ("covered", "adopted"),
    ),
    Mutant(
        "no adopting",
        "F12: who was first says where it ends",
        mutants_dispatch.own_end,
        ("adopted",),
    ),
    Mutant(
        "no cover", "F12: a late start looks for a range", mutants_dispatch.no_cover, ("covered",)
    ),
    Mutant("no margin", "F13: two clocks differ by 4 s", mutants_work.margin, ("skew", "stalls")),
    Mutant("no hold", "F15: a message comes early", mutants_work.hold, ("calm",)),
    Mutant("twice a batch", "F16: one write an item a batch", mutants_work.twice, ("doubles",)),
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
    Mutant("stranger", "0018: first sight waits for the lease", mutants_work.stranger, ("deaths",)),
    Mutant("shut out", "0019: a suspect finds itself a place", mutants_work.stay, ("deaths",)),
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
    Mutant(
        "ended late",
        "0080: a pause is over at its end, whenever that is written",
        mutants_pauses.from_now,
        ("pauses",),
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
    ),
    Mutant(
        "no books of pauses",
        "F5: the books of a pause are closed, too",
        mutants_edits.no_books_of_pauses,
        ("edits", "pauses"),
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
        "newest coalesced",
        "under `latest` the newest of the late ones fires",
        mutants_outcomes.newest_coalesced,
        ("misfires", "lists"),
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
        seed=23,
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
    Mutant("unkept", "0070: a permit lives as its run does", mutants_tenants.unkept, ("tenants",)),
    Mutant(
        "outlived", "0070: two clocks differ over a permit", mutants_tenants.outlived, ("tenants",)
    ),
    Mutant(
        "unfenced",
        "0070: only its worker gives a permit back",
        mutants_tenants.unfenced,
        ("permits",),
    ),
    Mutant(
        "uncalled", "0070: who leaves calls the next", mutants_tenants.uncalled, ("tenants bare",)
    ),
    Mutant(
        "looked once",
        "0070: who joins the line looks again",
        mutants_tenants.looked_once,
        ("tenants bare",),
    ),
    Mutant(
        "called before",
        "0070: free first, then the call",
        mutants_tenants.called_before,
        ("tenants bare",),
    ),
    Mutant(
        "above forgotten",
        "0070: lowered, a limit waits for those above it",
        mutants_tenants.above_forgotten,
        ("quotas",),
    ),
    Mutant("unheld", "0121: a call is held to its tenant", mutants_tenants.unheld, ("targets",)),
    Mutant("unread", "0121: the bounds come with the rows", mutants_tenants.unread, ("targets",)),
    Mutant(
        "raised silently",
        "0070: another limit calls whoever may start",
        mutants_tenants.raised_silently,
        ("quotas bare",),
        seed=72,
    ),
    Mutant(
        "runs left", "a partial advance counts its part", mutants_dispatch.runs_left, ("answers",)
    ),
    Mutant("as planned", "0072: what ran counts", mutants_bound.as_planned, ("bounded",)),
    Mutant("at once", "0072: counted first, then claimed", mutants_bound.at_once, ("bounded",)),
    Mutant(
        "unlisted", "0072: an edit counts what is claimed", mutants_bound.unlisted, ("recounted",)
    ),
    Mutant(
        "counted twice",
        "0072: what was recorded did not run",
        mutants_bound.twice,
        ("bounded bare",),
    ),
    Mutant("kept", "0072: what an edit drops is given back", mutants_bound.kept, ("unspent",)),
    Mutant(
        "given early",
        "0072: given back behind the stamp",
        mutants_bound.given_early,
        ("recounted",),
    ),
    Mutant("hasty", "0115: a dead letter may be anyone's", mutants_work.hasty, ("forged bare",)),
    Mutant("uncaught", "0115: no text ends a batch", mutants_work.uncaught, ("forged",)),
    Mutant(
        "three tries",
        "0140: an outcome is written until its lease is nearly over",
        mutants_patience.three_tries,
        ("throttled", "throttled all"),
    ),
    Mutant(
        "unforgiven",
        "0140: a refusal ends no invocation",
        mutants_patience.unforgiven,
        ("throttled reads", "throttled all", "answers"),
    ),
    Mutant(
        "patience unforgiven",
        "0140: a refusal ends no invocation",
        mutants_patience.patience_unforgiven,
        ("busy permits",),
    ),
    Mutant(
        "started blindly",
        "0140: a start without an answer is read back",
        mutants_patience.started_blindly,
        ("throttled partly", "throttled"),
    ),
    Mutant(
        "next tick",
        "0140: an advance is written in its tick",
        mutants_patience.next_tick,
        ("cold index",),
    ),
    Mutant("unmarked", "0072: marked, then given back", mutants_bound.unmarked, ("unspent",)),
    Mutant(
        "overspent forgotten",
        "0072: a lowered bound knows what it has had",
        mutants_exhausted.overspent_forgotten,
        ("ending",),
    ),
    Mutant(
        "noted though open",
        "0100: noted once no run is open",
        mutants_exhausted.though_open,
        ("ending",),
    ),
    Mutant(
        "completed for ever",
        "0100: an edit that gives it more makes it active",
        mutants_exhausted.for_ever,
        ("ending",),
    ),
    Mutant(
        "exhausted unlisted",
        "0100: listed, then out of the index",
        mutants_exhausted.listed_late,
        ("ending",),
    ),
    Mutant(
        "note unheld",
        "0100: a place given back voids the note",
        mutants_exhausted.unheld,
        ("noted late",),
    ),
    Mutant(
        "unrevived",
        "0100: a place given back makes it active again",
        mutants_exhausted.unrevived,
        ("given back",),
    ),
    Mutant(
        "note unseen",
        "0100: an edit goes by the status that it saw",
        mutants_exhausted.unseen,
        ("unseen",),
    ),
    *mutants_lines.LINES,
    *(Mutant(*fault) for fault in mutants_world.FAULTS),
    *mutants_cost.COSTS,
    *mutants_edit_order.MUTANTS,
    *mutants_audit.MUTANTS,
    *mutants_api.MUTANTS,
    *(Mutant(*each) for each in mutants_pull.PULL_FAULTS),
    *mutants_leases.LEASES,
)
