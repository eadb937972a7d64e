"""Builds folders beside their place, and moves them there when they are complete.

So a folder with the final name is always complete, wherever its maker was stopped.
"""

from __future__ import annotations

import errno
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

_PREFIX = "unfinished-"
# Seconds. No build takes this long: an older one belongs to a killed build.
_LEFT_SEC = 3600


def begun(parent: Path) -> Path:
    """Makes a new folder for one build, and removes what killed builds have left."""
    parent.mkdir(parents=True, exist_ok=True)
    for left in unfinished(parent):
        if _age_sec(left) > _LEFT_SEC:
            shutil.rmtree(left, ignore_errors=True)
    return Path(mkdtemp(prefix=_PREFIX, dir=parent))


def unfinished(parent: Path) -> list[Path]:
    """Returns the builds that are under way or were killed."""
    return list(parent.glob(f"{_PREFIX}*"))


def put(built: Path, place: Path) -> None:
    """Moves a complete folder to its place. What was there is removed."""
    while not moved(built, place):
        # The place is taken, by an older folder or by a faster build.
        former = Path(mkdtemp(prefix=_PREFIX, dir=built.parent))
        with suppress(FileNotFoundError):
            place.rename(former)
        shutil.rmtree(former)


def moved(built: Path, place: Path) -> bool:
    """Moves a complete folder to its place, unless there is one already."""
    try:
        built.rename(place)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        return False
    return True


def _age_sec(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except FileNotFoundError:
        return 0
