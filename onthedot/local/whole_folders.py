"""Folders that are made beside their place and moved there when whole.

What looks whole by its name is whole, wherever its maker was stopped.
"""

from __future__ import annotations

import errno
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

_PREFIX = "unfinished-"
# No build takes as long: what is older was left by one that was killed.
_LEFT_SEC = 3600


def begun(parent: Path) -> Path:
    """Make a new folder for one build; remove what killed builds have left."""
    parent.mkdir(parents=True, exist_ok=True)
    for left in unfinished(parent):
        if _age_sec(left) > _LEFT_SEC:
            shutil.rmtree(left, ignore_errors=True)
    return Path(mkdtemp(prefix=_PREFIX, dir=parent))


def unfinished(parent: Path) -> list[Path]:
    """List the builds that are under way, or were killed."""
    return list(parent.glob(f"{_PREFIX}*"))


def put(built: Path, place: Path) -> None:
    """Move a whole folder to its place; what was there goes."""
    while not moved(built, place):
        # Taken: by an older one, or by another build that was quicker just now.
        former = Path(mkdtemp(prefix=_PREFIX, dir=built.parent))
        with suppress(FileNotFoundError):
            place.rename(former)
        shutil.rmtree(former)


def moved(built: Path, place: Path) -> bool:
    """Move a whole folder to its place, unless there is one already."""
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
