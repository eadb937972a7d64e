"""onthedot explain: a schedule in English."""

from __future__ import annotations

import argparse
import sys

from onthedot.cli import asked
from onthedot.core.errors import ScheduleError
from onthedot.core.explain import explanation_with_changes
from onthedot.core.expression_warnings import warnings_of


def run(arguments: argparse.Namespace) -> int:
    """Print the sentence, and what is often misread in such an expression."""
    try:
        schedule = asked.schedule(arguments)
        after = asked.after(arguments)
        asked.check_count(arguments, "max_runs")
    except ScheduleError as error:
        return asked.complain(error, arguments.expression, as_json=False)
    lines = [explanation_with_changes(schedule, after, arguments.max_runs)]
    lines += [
        f"warning: {warned.detail}"
        for warned in warnings_of(schedule, arguments.expression, after, seconds=arguments.seconds)
        if not warned.code.startswith("dst_")
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
