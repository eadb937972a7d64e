"""Work in a child process that may hang or die without harm to the one that asks."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from tests.simulation.play.garbage_pause import never

HANGS = "it hangs"
_Given = TypeVar("_Given")


def answer(
    work: Callable[[], _Given], *, cpu_sec: int, wall_sec: float
) -> tuple[_Given | None, str]:
    """Gives what the work came to, or why it came to nothing."""
    fork = get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_told, args=(work, theirs, cpu_sec))
    process.start()
    theirs.close()
    try:
        if ours.poll(wall_sec):
            return ours.recv(), ""
    except EOFError:
        process.join()
        return None, HANGS if (process.exitcode or 0) < 0 else f"it ended by {process.exitcode}"
    finally:
        process.kill()
        process.join()
        ours.close()
    return None, HANGS


def _told(work: Callable[[], object], theirs: Connection, cpu_sec: int) -> None:
    """Sends it, and leaves without the farewells of the process that was copied.

    It ends before it needs to look for cycles, which is a tenth of the time of a history.
    """
    never()
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_sec, cpu_sec))
    theirs.send(work())
    theirs.close()
    os._exit(0)
