"""`make run`: the whole system on this machine, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError

from botocore.exceptions import BotoCoreError

from onthedot.local import admin_key, samples
from onthedot.local.caller import Caller
from onthedot.local.folder import PROJECT, AlreadyRunningError, Folder, write_secret
from onthedot.local.ports import StartError
from onthedot.local.stack import Stack, standing
from onthedot.local.watch import Watch

_LOOK_EVERY_SEC = 0.25
_stopping = threading.Event()


def main(arguments: list[str]) -> int:
    """Runs until it is interrupted. Returns 1 if it could not."""
    asked = _parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    say = _progress()
    try:
        with standing(Folder(asked.folder.resolve()), port=asked.port, say=say) as stack:
            _run(stack, say)
    except KeyboardInterrupt:
        pass  # This is what the user asked for.
    except (AlreadyRunningError, StartError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    _print("stopped")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--port", type=int, default=8787, help="where the API answers (8787)")
    parser.add_argument(
        "--folder", type=Path, default=PROJECT / ".onthedot", help="where everything is kept"
    )
    return parser


def _interrupt(_number: int, _frame: object) -> None:
    """Stops once. A second Ctrl-C must not interrupt the stopping."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # An exception raised inside a finalizer would be dropped. A flag stays.
    _stopping.set()
    raise KeyboardInterrupt


def _run(stack: Stack, say: Callable[[str], None]) -> None:
    """Says where everything is, then shows each fire. A stack that dies is started again."""
    key = admin_key.kept(stack)
    if not key:
        key = admin_key.made(stack)
        samples.register(Caller(stack.door.port, key))
        # Kept last: if something fails before, the next start repeats both steps.
        admin_key.keep(stack, key)
    say("Registering what jobs/ declares")
    stack.run("infra.welcome")
    about = {"url": stack.door.url, "key": key, "pid": os.getpid()}
    try:
        write_secret(stack.folder.run_file, json.dumps(about))
        say("Ready")
        _print(_BANNER.format(**about, folder=stack.folder.root))
        _go_on(stack)
        _watch(stack, say)
    finally:
        stack.folder.run_file.unlink(missing_ok=True)


def _go_on(stack: Stack) -> None:
    """Goes on with what was left. If a part has just died, the watch starts it again."""
    try:
        stack.go_on()
    except (BotoCoreError, CalledProcessError):
        if stack.alive:
            raise


def _watch(stack: Stack, say: Callable[[str], None]) -> None:
    os.environ.update(stack.environment)
    watch = Watch(since_ms=_now_ms())
    while not _stopping.is_set():
        if not stack.alive:
            say("A part of the stack has died: starting it again")
            stack.stop()
            stack.start()
            say("Ready again")
        _show(stack, watch)
        time.sleep(_LOOK_EVERY_SEC)


_BANNER = """
  API        {url}
  admin key  {key}

  In another shell:
  export ONTHEDOT_URL={url} ONTHEDOT_API_KEY={key}
  curl -H "authorization: Bearer $ONTHEDOT_API_KEY" $ONTHEDOT_URL/v1/schedules

  Everything is kept in {folder}; Ctrl-C stops. Each fire is a line:
"""


def _show(stack: Stack, watch: Watch) -> None:
    try:
        for line in watch.look(_now_ms()):
            _print(line)
    except BotoCoreError:
        # If the database died between two checks, that is said, else this error.
        if stack.alive:
            raise


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _progress() -> Callable[[str], None]:
    began = time.monotonic()

    def say(step: str) -> None:
        _print(f"{time.monotonic() - began:7.1f} s  {step}")

    return say


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
