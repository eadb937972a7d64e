"""Changes that change nothing which a caller, a target or an operator could see, and why."""

from __future__ import annotations

from tests.mutation.changes import Change
from tests.mutation.entry import Equivalent
from tests.mutation.equivalent_dispatch import DISPATCH
from tests.mutation.equivalent_starts import STARTS
from tests.mutation.equivalent_upkeep import UPKEEP
from tests.mutation.equivalent_work import WORK
from tests.mutation.rules import by_rule

EQUIVALENT = (
    Equivalent(
        "onthedot.registry.calendar_edits",
        "_by_id",
        "return {}",
        "return None",
        "where no calendar is named nothing is looked up in what was found",
    ),
    Equivalent(
        "onthedot.upkeep.bulk_operations",
        "_in_turn",
        "first = clock.now_ms() // 60_000 % max(1, len(pointers))",
        "2",
        "one loop alone is first whichever way the list is turned",
    ),
    Equivalent(
        "onthedot.records.runs.max_runs",
        "counts",
        "claimed = is_slot_key(run.key) and life.claimed_ms > 0",
        "1",
        "a time in milliseconds since 1970 is never one",
    ),
    Equivalent(
        "onthedot.records.runs.overlap_gate",
        "write",
        'item = {"task_id": seen.task_id, "scheduled_for": GATE, "rev": 1, "lists": lists}',
        "2",
        "a revision is compared with itself only, and any but zero will do",
    ),
    Equivalent(
        "onthedot.upkeep.minute",
        "_result",
        "if left <= 0:",
        "left < 0",
        "an act whose time is over to the very tick is waited for no time at all, and then left",
    ),
    Equivalent(
        "onthedot.upkeep.tallies",
        "keep",
        "after = now_sec + 1",
        "2",
        "between two minutes any second bounds the same minutes",
    ),
    Equivalent(
        "onthedot.upkeep.long_runs",
        "_unusual",
        "return len(past) >= _TOO_FEW and duration_ms(run) > _TIMES_LONGER * percentile(past, 95)",
        "96",
        "of twenty durations at most both name the same one",
    ),
    *(
        Equivalent(
            module,
            function,
            "page=1,",
            "2",
            "one item is taken, however many a page may have",
        )
        for module, function in (
            ("onthedot.upkeep.tallies", "newest"),
            ("onthedot.upkeep.read_pulse", "recent"),
        )
    ),
    Equivalent(
        "onthedot.upkeep.recent_runs",
        "Walk._sorted",
        'between = nominal(first_ms // 1000)[:16], f"{moment(self.begun_ms)}~"',
        "1001",
        "more of the oldest hour is read, and what is older than the list is left out of it",
    ),
    Equivalent(
        "onthedot.upkeep.recent_runs",
        "Walk.places",
        "if self._queries > QUERIES_MAX and newest_ms < self.begun_ms:",
        "self._queries >= QUERIES_MAX",
        "a page may end one question sooner, and the next one goes on from there",
    ),
    *(
        Equivalent(
            module,
            function,
            source,
            "2",
            "a revision is only compared for equality, so any new number works",
        )
        for module, function, source in (
            (
                "onthedot.records.runs.overlap_gate",
                "write",
                '(("lists", lists), ("rev", seen.rev + 1)),',
            ),
            ("onthedot.work.gates.concurrency_key", "Starts.write", '("rev", self.rev + 1),'),
        )
    ),
    Equivalent(
        "onthedot.targets.python.previous_success",
        "previous_success",
        '("task_id", task_id), "scheduled_for", ("0", key), newest_first=True, page=20',
        "21",
        "only the store sees how many rows a page has",
    ),
    Equivalent(
        "onthedot.launch.trigger",
        "trigger",
        "at = moment or Moment(clock.now_ms(), ids.token(6))",
        "7",
        "a token is long enough that two differ, and longer ones do, too",
    ),
    Equivalent(
        "onthedot.work.gates.tenant_quota",
        "_taken_before",
        "return Later(max(1, (permit.lease_ms - clock.now_ms()) // 1000 + MARGIN_SEC + 1))",
        "2",
        "a look a second later finds the lease over, or the run started",
    ),
    *(
        Equivalent(
            "onthedot.work.prepared_start",
            "prepare",
            "lease_ms=now_ms + LEASE_SEC * 1000,",
            after,
            "a placeholder: `begin` puts the lease of its sending in its place",
        )
        for after in ("now_ms - LEASE_SEC * 1000", "LEASE_SEC // 1000", "1001")
    ),
    *(
        Equivalent(
            "onthedot.schedule.dst_stretches",
            "stretches",
            source,
            after,
            "where the clock does not jump, nothing is cut off and no seam is left",
        )
        for source, after in (
            ('if not policy.elapsed and after < 0 and policy.overlap == "last":', "after <= 0"),
            ('if not policy.elapsed and before < 0 and policy.overlap == "first":', "before <= 0"),
            ('if not policy.elapsed and before > 0 and policy.gap != "skip":', "before >= 0"),
        )
    ),
    *UPKEEP,
    *STARTS,
    *WORK,
    *DISPATCH,
)


_FUTURE = "nothing is asked of the time before 1970, nor of a change of the clock by one second"
_NO_INSTANT = "a stretch from an instant to the same has none in it, and is passed over"
_BESIDE = "arrays that lie side by side are filled in any order"
_MARGIN = "two days are far more than two clocks are apart: a second of them decides nothing"
_AT_THE_END = "where the stretch ends, the walk goes on with the next one in both cases"
_JUMP_END = "the first wall behind a gap is at the jump itself, by either way"
_IN_GAP = "self._walls.next(seam.wall_from)"
_PARTS = "the rest is seen to by the next plan, or the next tick"
EQUIVALENT += (
    *(
        Equivalent("onthedot.schedule.slots", f"CronSlots.{function}", source, after, reason)
        for function, source, after, reason in (
            (
                "next",
                "if self._seams[place] is None and instant < self._ends[place]:",
                "instant <= self._ends[place]",
                _AT_THE_END,
            ),
            (
                "_search_on",
                "slot = self._first_in(place, begin) if begin < self._ends[place] else begin",
                "begin <= self._ends[place]",
                _AT_THE_END,
            ),
            (
                "prev",
                "if slot < -NEVER + _APART_SEC and self._starts[place] < instant - _APART_SEC:",
                "slot <= -NEVER + _APART_SEC",
                _MARGIN,
            ),
            (
                "prev",
                "if slot < -NEVER + _APART_SEC and self._starts[place] < instant - _APART_SEC:",
                "self._starts[place] <= instant - _APART_SEC",
                _MARGIN,
            ),
            ("prev", "if slot >= -NEVER + _APART_SEC:", "slot > -NEVER + _APART_SEC", _MARGIN),
            ("_search_on", "if slot > NEVER - _APART_SEC:", "slot >= NEVER - _APART_SEC", _MARGIN),
            (
                "_search_on",
                "if begin > instant + _APART_SEC:",
                "begin >= instant + _APART_SEC",
                _MARGIN,
            ),
            (
                "_search_on",
                "place = max(place, bisect_right(self._starts, slot - _APART_SEC) - 1)",
                "2",
                "one stretch more is looked at, and nothing is found in it",
            ),
            ("_first_in", "if wall < seam.wall_to:", "wall <= seam.wall_to", _JUMP_END),
            (
                "_first_in",
                f"elif instant == self._starts[place] and {_IN_GAP} < seam.wall_to:",
                f"{_IN_GAP} <= seam.wall_to",
                _JUMP_END,
            ),
            *(
                (
                    "_last_in",
                    f"elif slot < self._starts[place] and {_IN_GAP} < seam.wall_to:",
                    after,
                    _JUMP_END,
                )
                for after in (
                    "slot <= self._starts[place]",
                    f"{_IN_GAP} <= seam.wall_to",
                )
            ),
        )
    ),
    Equivalent(
        "onthedot.schedule.dst_stretches",
        "Stretches.add",
        "if start < end:",
        "start <= end",
        _NO_INSTANT,
    ),
    *(
        Equivalent(
            "onthedot.schedule.dst_stretches",
            "Stretches.add",
            f"self.{first}",
            f"if True: ⏎     self.{second} ⏎     self.{first}",
            _BESIDE,
        )
        for first, second in (
            ("starts.append(start)", "ends.append(end)"),
            ("ends.append(end)", "offsets.append(offset)"),
            ("offsets.append(offset)", "seams.append(seam)"),
        )
    ),
    *(
        Equivalent("onthedot.schedule.dst_stretches", "stretches", source, "1", _FUTURE)
        for source in (
            'if not policy.elapsed and after < 0 and policy.overlap == "last":',
            'if not policy.elapsed and before < 0 and policy.overlap == "first":',
            'if not policy.elapsed and before > 0 and policy.gap != "skip":',
        )
    ),
    *(
        Equivalent("onthedot.schedule.dst_stretches", "_jump", source, after, _FUTURE)
        for source, after in (
            ("if not 0 < place < len(offsets):", "0 <= place < len(offsets)"),
            ("return 0", "1"),
        )
    ),
    *(
        Equivalent(
            "onthedot.dispatch.due_plan",
            "skipped_gaps",
            "if 0 < jump <= CORRECTION_SEC and walls.next(wall_to - jump) < wall_to:",
            after,
            reason,
        )
        for after, reason in (
            ("0 <= jump <= CORRECTION_SEC", "what does not jump leaves no wall out"),
            ("1", "no clock is set by one second"),
            ("walls.next(wall_to - jump) <= wall_to", "what fires at the jump is no skipped slot"),
        )
    ),
    Equivalent(
        "onthedot.dispatch.due_plan",
        "plan",
        "while slot is not None and len(slots) < SLOTS_MAX:",
        "len(slots) <= SLOTS_MAX",
        _PARTS,
    ),
    Equivalent(
        "onthedot.dispatch.due_plan", "plan", "if due_at > until:", "due_at >= until", _PARTS
    ),
    Equivalent(
        "onthedot.dispatch.due_plan",
        "_before_blackout",
        "if due.closed and due_at > now and closing(due.closed, slot):",
        "due_at >= now",
        "what is closed and due in this very second is recorded now, or by the next tick",
    ),
    *(
        Equivalent("onthedot.dispatch.dispatcher", "dispatch", source, after, _PARTS)
        for source, after in (
            (
                "if herd.seen > DUE_MAX and siblings.take(shards[first:]):",
                "herd.seen >= DUE_MAX",
            ),
            ("if len(herd.on_time) >= DUE_MAX:", "len(herd.on_time) > DUE_MAX"),
        )
    ),
    Equivalent(
        "onthedot.records.tasks.task_items",
        "first_due",
        "slot = task.schedule.prev(task.effective_from + 1)",
        "2",
        "a slot in the very next second is the first one, whichever way it is found",
    ),
    Equivalent(
        "onthedot.store.clock",
        "Skew.offset_ms",
        "if self.low_ms > 0:",
        "self.low_ms >= 0",
        "with zero as its lower bound it has been answered before",
    ),
    Equivalent(
        "onthedot.dispatch.tick",
        "Tick.claim_until",
        "return self.started_ms + CLAIM_SEC * 1000",
        "1001",
        "thirty milliseconds of the margin that two clocks have",
    ),
)


def is_known(change: Change) -> bool:
    return by_rule(change) or any(each.is_of(change) for each in EQUIVALENT)
