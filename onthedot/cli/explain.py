"""Runs `onthedot explain`: a schedule in English."""

from __future__ import annotations

import argparse
import sys

from onthedot.cli import flags
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.words.expression_warnings import warnings_of
from onthedot.schedule.words.phrases import explanation_with_changes


def run(arguments: argparse.Namespace) -> int:
    """Prints the sentence, and what is often misread in such an expression."""
    try:
        schedule = flags.schedule(arguments)
        after = flags.after(arguments)
        flags.check_count(arguments, "max_runs")
    except ScheduleError as error:
        return flags.complain(error, arguments.expression, as_json=False)
    lines = [explanation_with_changes(schedule, after, arguments.max_runs)]
    lines += [
        f"warning: {warned.detail}"
        for warned in warnings_of(schedule, arguments.expression, after, seconds=arguments.seconds)
        if not warned.code.startswith("dst_")
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
