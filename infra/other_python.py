"""Finds the other Python that we support: 3.13 beside 3.11, and 3.11 beside any other.

It needs no installed package, because it is asked before there is one.
"""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

VERSIONS = ("3.11", "3.13")
_PYENV = Path.home() / ".pyenv" / "versions"


def main() -> None:
    """Prints where it is. Nothing, if it is not installed."""
    wanted = other(f"{sys.version_info.major}.{sys.version_info.minor}")
    sys.stdout.write(found(wanted, _PYENV.glob(f"{wanted}.*")))


def other(running: str) -> str:
    """Returns the version to look for."""
    return VERSIONS[1] if running == VERSIONS[0] else VERSIONS[0]


def found(version: str, installed: Iterable[Path]) -> str:
    """Returns the first that runs by that name: on the PATH, then of pyenv."""
    name = f"python{version}"
    # pyenv puts a command on the PATH for versions that are not chosen, and that one fails.
    on_path = shutil.which(name)
    if on_path and ".pyenv/shims" not in on_path:
        return on_path
    places = [folder / "bin" / name for folder in sorted(installed)]
    return next((str(place) for place in places if place.exists()), "")


if __name__ == "__main__":
    main()
