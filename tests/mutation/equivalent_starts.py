"""Changes of starts that change nothing which anybody could see, and why."""

from __future__ import annotations

from tests.mutation.entry import Equivalent

STARTS = (
    Equivalent(
        "onthedot.flows.starting",
        "_sorted",
        "if then and job.loaded:",
        "then or job.loaded",
        "what is worked elsewhere is loaded anew, which forgets what was written down ahead",
    ),
    Equivalent(
        "onthedot.flows.gate",
        "acquire",
        "return True",
        "False",
        "who has neither a place nor an outcome waits, by whichever word",
    ),
    Equivalent(
        "onthedot.core.keyed",
        "limit_of",
        'most=wanted.get("max_running") or 0,',
        "1",
        "a key without places is asked for its rate alone",
    ),
)
