"""Changes of starts that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

STARTS = (
    Equivalent(
        "onthedot.work.starts",
        "_sorted",
        "if then and job.loaded:",
        "then or job.loaded",
        "a run of other workers is loaded again, and what was prepared for it is forgotten",
    ),
    Equivalent(
        "onthedot.work.starts",
        "_skip",
        "put_off(",
        "if True: ⏎     overlap.leave(ended) ⏎     put_off((job for (job, _), outcome in"
        " zip(skipping, outcomes, strict=True) if outcome is Outcome.UNSURE))",
        "the one is about runs that have ended, the other about those that have not; where the"
        " first fails, the worker puts off all that it has left",
    ),
    Equivalent(
        "onthedot.work.gates.concurrency_key",
        "limit_of",
        'most=wanted.get("max_running") or 0,',
        "1",
        "a key without places is asked for its rate alone",
    ),
)
