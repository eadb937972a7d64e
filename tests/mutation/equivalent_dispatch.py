"""Changes of dispatch and of edits that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

DISPATCH = (
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
