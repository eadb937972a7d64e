"""onthedot worker: work the runs of a queue on this machine."""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys

from onthedot.adapters import jobs
from onthedot.client.client import Client
from onthedot.core.handler import HandlerError
from onthedot.worker.worker import Worker, leave


def run(arguments: argparse.Namespace) -> int:
    """Work until SIGTERM or Ctrl-C, then finish what is under way."""
    # The module is the user's own, and stands where the command is called.
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 a text is what sys.path wants
    try:
        client = Client(url=arguments.url or "", key=arguments.key or "")
        handlers = jobs.handlers(arguments.module)
    except (HandlerError, ImportError, ValueError) as mistake:
        sys.stderr.write(f"onthedot worker: {mistake}\n")
        return 2
    if not handlers:
        sys.stderr.write(f"onthedot worker: no function under @app.job in {arguments.module}\n")
        return 2
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
