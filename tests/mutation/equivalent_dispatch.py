"""Changes of dispatch and of edits that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

_FIRSTS = (
    "firsts = aws.in_parallel(lambda shard: patience.call(lambda:"
    " tables.due_page(shard, ('0', until)), lambda: tick.over), shards)"
)
DISPATCH = (
    Equivalent(
        "onthedot.core.slots",
        "ElapsedSlots.prev",
        "return slot if slot >= 0 else None",
        "slot > 0",
        "nobody asks for the first instant of 1970",
    ),
    Equivalent(
        "onthedot.core.skew",
        "Skew.known",
        "return -(1 << 40) < self.low_ms <= self.high_ms",
        "-(1 << 40) <= self.low_ms <= self.high_ms",
        "where no answer has been seen, zero lies between the bounds, and nothing is added",
    ),
    *(
        Equivalent(
            "onthedot.core.calendars",
            "compile_calendar",
            "if ranges and first <= ranges[-1][1] + 1:",
            after,
            "ranges that touch are jumped one after the other, and nothing is open between them",
        )
        for after in ("first < ranges[-1][1] + 1", "ranges[-1][1] - 1")
    ),
    Equivalent(
        "onthedot.core.slots",
        "CronSlots.prev",
        "place = min(place, bisect_right(self._starts, slot + _APART_SEC) - 1)",
        "bisect_right(self._starts, slot + _APART_SEC) + 1",
        "nothing is passed over then: stretches are looked at in which there is no slot",
    ),
    Equivalent(
        "onthedot.core.edit",
        "Step.sent_from",
        "return 0",
        "1",
        "no run is due in the first second of 1970",
    ),
    Equivalent(
        "onthedot.flows.edit",
        "_is_near",
        "return instant <= clock.now_ms() // 1000 + LOOK_AHEAD_SEC",
        "clock.now_ms() * 1000",
        "a plan of what is not near has nothing in it: it costs a read of the task",
    ),
    *(
        Equivalent(
            "onthedot.flows.retime",
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
                "a cursor is written that is where it is to be, and stays there",
            ),
            (
                "_following",
                "slot = schedule.prev(edge + 1)",
                "2",
                "a slot in the second behind the edge is the next one after it, too",
            ),
        )
    ),
    Equivalent(
        "onthedot.flows.dispatch",
        "_pages",
        "firsts = aws.in_parallel(",
        f"if True: ⏎     tick.correct_clock() ⏎     {_FIRSTS}"[:160],
        "the answer about the backlog has told what time it is, to within a second",
    ),
    Equivalent(
        "onthedot.core.edit_writes",
        "_cursor",
        'item.pop("due_shard", None)',
        "if True: ⏎     sets.pop('due_shard', None) ⏎     item.pop('due_shard', None)",
        "two dictionaries, of which each loses the same entry",
    ),
    Equivalent(
        "onthedot.flows.edit",
        "_write",
        "now = clock.now_ms() // 1000",
        "1001",
        "an edit's line comes with its cursor by one write: nobody asks how old it is while the"
        " cursor is in the index, and once it is there again the line means nothing",
    ),
    Equivalent(
        "onthedot.flows.edit",
        "_carry_out",
        "_send(near, step.sent_from)",
        "if True: ⏎     _dispatch(step.wanted.task_id, step.next_due) ⏎     "
        "_send(near, step.sent_from)",
        "the two are about different runs, and a try that failed is made again as a whole",
    ),
)
