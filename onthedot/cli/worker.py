"""Runs `onthedot worker`: it works the runs of a queue on this machine."""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys

from onthedot.client.client import Client
from onthedot.targets.python import job_handlers
from onthedot.targets.python.handler import HandlerError
from onthedot.worker.worker import Worker, leave


def run(arguments: argparse.Namespace) -> int:
    """Works until SIGTERM or Ctrl-C, then finishes what is under way."""
    # The module is the user's own, in the folder where the command is called.
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 a text is what sys.path wants
    if arguments.at_once < 1:
        return _refused(f"--at-once is {arguments.at_once}: expected 1 or more")
    try:
        client = Client(
            arguments.url or "", arguments.key or "", _patience_sec(arguments.lease_sec)
        )
        handlers = job_handlers.handlers(arguments.module)
    except (HandlerError, ImportError, ValueError) as mistake:
        return _refused(str(mistake))
    if not handlers:
        return _refused(f"no function under @app.job in {arguments.module}")
    worker = Worker(
        client=client,
        queue=arguments.queue,
        handlers=handlers,
        name=arguments.name or f"{platform.node()}/{os.getpid()}",
        at_once=arguments.at_once,
        lease_sec=arguments.lease_sec,
    )
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: worker.stop())
    sys.stderr.write(f"working {arguments.queue} with {', '.join(sorted(handlers))}\n")
    code = worker.run()
    sys.stdout.flush()
    sys.stderr.write("stopped\n")
    if code:
        leave(code)
    return code


def _refused(why: str) -> int:
    sys.stderr.write(f"onthedot worker: {why}\n")
    return 2


def _patience_sec(lease_sec: int) -> float:
    """Returns the wait for an answer: a late answer must not cost the lease that it extends."""
    return min(30.0, lease_sec / 2)
