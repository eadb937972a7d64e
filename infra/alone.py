"""Runs a command while no other one of its kind runs: `alone.py LOCK COMMAND …`.

It needs no installed package, because it guards the installation.
"""

import fcntl
import os
import sys
from pathlib import Path


def main(lock: str, command: list[str]) -> None:
    Path(lock).parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("Another command installs here: waiting until it is done.\n")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Everything that the command starts holds the lock too, even if the command is killed.
    os.set_inheritable(descriptor, True)  # noqa: FBT003 it takes no name
    os.execvp(command[0], command)  # noqa: S606 the Makefile's own command


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
