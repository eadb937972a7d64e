"""Runs `onthedot next`: coming fires as a table, as JSON, or for a stream of questions."""

from __future__ import annotations

import argparse
import json
import re
import sys

from onthedot.cli import batch, flags
from onthedot.cli.fire_table import table
from onthedot.cli.local_zone import machine_zone
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.zones import zone
from onthedot.schedule.words.phrases import explanation_with_changes
from onthedot.schedule.words.schedule_preview import COUNT_MAX, Preview, Window, preview

# Finds a lone H, not the one in THU, @hourly or 1h.
_HASHED = re.compile(r"(?<![A-Z0-9])H(?![A-Z])", re.IGNORECASE)


def run(arguments: argparse.Namespace) -> int:
    if arguments.batch:
        return batch.run()
    if arguments.expression is None:
        arguments.expression = ""
    try:
        return _show(arguments)
    except ScheduleError as error:
        return flags.complain(error, arguments.expression, as_json=arguments.json)


def _show(arguments: argparse.Namespace) -> int:
    schedule = flags.schedule(arguments)
    viewer = arguments.viewer_timezone or machine_zone()
    zone(viewer)
    window = Window(
        after=flags.after(arguments),
        count=_count(arguments),
        viewer=viewer,
        max_runs=arguments.max_runs,
    )
    shown = preview(
        schedule,
        arguments.expression,
        window,
        seconds=arguments.seconds,
        seed=arguments.seed,
    )
    if arguments.json:
        sys.stdout.write(json.dumps(shown.as_json(), indent=2) + "\n")
        return 0
    lines = [explanation_with_changes(schedule, window.after, window.max_runs)]
    lines += ["", *table(shown.fires, schedule.timezone, viewer)] if shown.fires else []
    lines += _remarks(arguments, shown)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _count(arguments: argparse.Namespace) -> int:
    flags.check_count(arguments, "count", "max_runs")
    if arguments.count > COUNT_MAX:
        message = f"count is {arguments.count}: expected {COUNT_MAX} at most."
        raise ScheduleError("out_of_range", message, field="count", suggestion=str(COUNT_MAX))
    return int(arguments.count)


def _remarks(arguments: argparse.Namespace, shown: Preview) -> list[str]:
    remarks = [
        f"warning: {warned.detail}"
        for warned in shown.warnings
        if not warned.code.startswith("dst_")
    ]
    if len(shown.fires) < arguments.count:
        remarks.append("No more fires after these." if shown.fires else "It never fires again.")
    if arguments.jitter_sec or _HASHED.search(arguments.expression):
        remarks.append(f"H and jitter are drawn from the seed {arguments.seed!r}; see --seed.")
    return ["", *remarks] if remarks else []
