"""Cuts the functions' requirements out of the full lock: what each imports, and what that needs.

Pins and hashes come from requirements.txt, needs from the installed packages.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.txt"

# Dispatch, work, bury and audit must start fast. Only the api loads pydantic and pynamodb.
WORKERS = ("aws-lambda-powertools", "croniter", "google-re2", "tzdata")
CUTS = {
    ROOT / "lambdas" / "requirements.txt": WORKERS,
    ROOT / "lambdas" / "requirements-api.txt": (*WORKERS, "pydantic", "pynamodb"),
}

# The Lambda runtime has the SDK. A second one would slow every cold start.
IN_THE_RUNTIME = {"boto3", "botocore", "s3transfer", "urllib3"}

# The functions' machine, not the one that runs this: 3.11 and 3.13 must write the same files.
CLOUD = {
    "extra": "",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "aarch64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
}

HEADER = "# Cut from ../requirements.txt by `make lock`; the Lambda runtime brings boto3.\n"


# A requirement continues over lines that end with a backslash: they have its hashes.
_ENTRY = re.compile(r"^\w(?:.*\\\n)*.*$", re.MULTILINE)
_HASH = re.compile(r"--hash=(\S+)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock: its version, and the hashes of all its files."""

    requirement: Requirement
    hashes: tuple[str, ...]

    def line(self) -> str:
        """Writes it in the form that pip reads."""
        name = canonicalize_name(self.requirement.name)
        hashes = "".join(f" \\\n    --hash={each}" for each in self.hashes)
        return f"{name}{self.requirement.specifier}{hashes}\n"


def pins(lock: str) -> dict[str, Pin]:
    """Reads every package of a lock, by its canonical name."""
    return {canonicalize_name(pin.requirement.name): pin for pin in map(_pin, _ENTRY.findall(lock))}


def cut(roots: Iterable[str], locked: Mapping[str, Pin]) -> str:
    """Writes the requirements of one function."""
    return HEADER + "".join(locked[name].line() for name in sorted(_closure(roots)))


def _pin(entry: str) -> Pin:
    requirement = Requirement(entry.partition("\\")[0])
    return Pin(requirement, tuple(_HASH.findall(entry)))


def _closure(roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found | IN_THE_RUNTIME:
            found.add(name)
            waiting.extend(_needs(name))
    return found


def _needs(name: str) -> list[str]:
    wanted = map(Requirement, requires(name) or [])
    return [
        canonicalize_name(each.name)
        for each in wanted
        if each.marker is None or each.marker.evaluate(CLOUD)
    ]


def main() -> None:
    locked = pins(LOCK.read_text())
    for path, roots in CUTS.items():
        path.write_text(cut(roots, locked))


if __name__ == "__main__":
    main()
