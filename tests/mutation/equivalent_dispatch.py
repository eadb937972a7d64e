"""Changes of dispatch and of edits that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

_FIRSTS = (
    "firsts = aws.in_parallel(lambda shard: conditional_writer.call(lambda:"
    " table_reads.due_page(shard, ('0', until)), lambda: tick.over), shards)"
)
DISPATCH = (
    Equivalent(
        "onthedot.schedule.slots",
        "ElapsedSlots.prev",
        "return slot if slot >= 0 else None",
        "slot > 0",
        "nobody asks for the first instant of 1970",
    ),
    Equivalent(
        "onthedot.store.clock",
        "Skew.known",
        "return -(1 << 40) < self.low_ms <= self.high_ms",
        "-(1 << 40) <= self.low_ms <= self.high_ms",
        "before the first answer, zero lies between the bounds, and nothing is added",
    ),
    *(
        Equivalent(
            "onthedot.schedule.calendar_times",
            "compile_calendar",
            "if ranges and first <= ranges[-1][1] + 1:",
            after,
            "ranges that touch are skipped one after the other; nothing between them is open",
        )
        for after in ("first < ranges[-1][1] + 1", "ranges[-1][1] - 1")
    ),
    Equivalent(
        "onthedot.schedule.slots",
        "CronSlots.prev",
        "place = min(place, bisect_right(self._starts, slot + _APART_SEC) - 1)",
        "bisect_right(self._starts, slot + _APART_SEC) + 1",
        "no slot is skipped: only more stretches without slots are searched",
    ),
    Equivalent(
        "onthedot.registry.edit_writes",
        "Step.sent_from",
        "return 0",
        "1",
        "no run is due in the first second of 1970",
    ),
    Equivalent(
        "onthedot.registry.edit",
        "_is_near",
        "return instant <= clock.now_ms() // 1000 + LOOK_AHEAD_SEC",
        "clock.now_ms() * 1000",
        "a plan for a slot that is not near is empty: it only costs a read of the task",
    ),
    *(
        Equivalent(
            "onthedot.upkeep.new_tzdata",
            function,
            source,
            after,
            reason,
        )
        for function, source, after, reason in (
            (
                "retime",
                "if following is not None and following < due.next_run_at:",
                "following <= due.next_run_at",
                "the cursor is written again with the value that it has",
            ),
            (
                "_following",
                "slot = schedule.prev(edge + 1)",
                "2",
                "a slot one second after the edge is also the next slot after it",
            ),
        )
    ),
    Equivalent(
        "onthedot.dispatch.dispatcher",
        "_pages",
        "firsts = aws.in_parallel(",
        f"if True: ⏎     tick.correct_clock() ⏎     {_FIRSTS}"[:160],
        "the answer about the backlog has already set the clock to within a second",
    ),
    Equivalent(
        "onthedot.registry.edit_writes",
        "_cursor",
        'item.pop("due_shard", None)',
        "if True: ⏎     sets.pop('due_shard', None) ⏎     item.pop('due_shard', None)",
        "both dictionaries lose the same entry, in either order",
    ),
    Equivalent(
        "onthedot.registry.edit",
        "_write",
        "now = clock.now_ms() // 1000",
        "1001",
        "an edit's line comes with its cursor by one write: nobody asks how old it is while the"
        " cursor is in the index, and once it is there again the line means nothing",
    ),
    Equivalent(
        "onthedot.registry.edit",
        "_carry_out",
        "_send(near, step.sent_from)",
        "if True: ⏎     _dispatch(step.wanted.task_id, step.next_due) ⏎     "
        "_send(near, step.sent_from)",
        "the two are about different runs, and a try that failed is made again as a whole",
    ),
)
