"""Runs the command `onthedot`. Each subcommand is imported only when it is called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

_EPILOG = """examples:
  onthedot next "30 2 * * *" --tz America/New_York --count 5
  onthedot explain "0 9 * * 1-5" --tz Europe/Paris
  onthedot next --batch < questions.jsonl
  onthedot worker --queue gpu --module jobs
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0 for success, 2 for a mistake of the caller."""
    given = sys.argv[1:] if argv is None else argv
    parser = _parser(given)
    arguments, left = parser.parse_known_args(given)
    if left:
        parser.error(_unexpected(arguments.command, left))
    if not arguments.command:
        parser.print_help()
        return 2
    command = import_module(f"onthedot.cli.{arguments.command}")
    try:
        return int(command.run(arguments))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone (`| head`), so nobody can read an error.
        sys.stderr.close()
        return 0


def _unexpected(command: str, left: Sequence[str]) -> str:
    """Explains words that are left over: a shell splits an expression and expands each `*`."""
    if command in ("next", "explain") and not left[0].startswith("-"):
        return f'put the expression in quotes: onthedot {command} "0 9 * * 1-5"'
    return f"unrecognized arguments: {' '.join(left)}"


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="onthedot",
        description="Show when a schedule fires, or work the runs of a queue.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    following = commands.add_parser("next", help="show when a schedule fires next")
    _add_next(following)
    explain = commands.add_parser("explain", help="say in English when a schedule fires")
    explain.add_argument("expression", help="a cron, @every, rate(), cron() or at() expression")
    # The list of fields loads the engine, which `onthedot --help` and the worker do not need.
    if {"next", "explain"}.intersection(given):
        _add_meaning(following)
        _add_meaning(explain)
    _add_worker(commands.add_parser("worker", help="work the runs of a queue on this machine"))
    return parser


def _add_worker(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--queue", required=True, help="the queue that the tasks' pull targets name")
    add("--module", default="jobs", help="module or package of handlers (default jobs)")
    add("--at-once", type=int, default=4, metavar="N", help="runs worked at the same time")
    add(
        "--lease-sec",
        type=int,
        default=60,
        metavar="N",
        help="the lease of a run; extended while it is worked",
    )
    add("--name", help="this worker's name in the history of runs (default: machine and process)")
    add("--url", help="the API's address (default: ONTHEDOT_URL)")
    add("--key", help="an API key of role worker (default: ONTHEDOT_API_KEY)")


def _add_next(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("expression", nargs="?", help="a cron, @every, rate(), cron() or at()")
    parser.add_argument("--count", type=int, default=5, help="how many fires (default 5)")
    parser.add_argument(
        "--viewer-timezone",
        "--viewer-tz",
        metavar="ZONE",
        help="your own zone, shown beside the schedule's (default: this machine's)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--batch",
        action="store_true",
        help="read one JSON object per line from stdin, answer each with a line",
    )


def _add_meaning(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--from", dest="after", metavar="INSTANT", help="fires after this instant (default now)")
    field_flags = import_module("onthedot.cli.field_flags")
    for field in field_flags.FIELDS:
        add(*field_flags.names(field), **field_flags.meaning(field))
    add("--seed", default="", help="a task's id: H and the jitter are drawn from it")
    add(
        "--calendar",
        action="append",
        default=[],
        metavar="FILE",
        help='a blackout: {"name","timezone","dates":["2026-12-25","2026-12-24/2027-01-02"]} '
        'or {"name","timezone","cron"}',
    )
