"""Finds the tables and the bucket that an earlier stack of this name has left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# The names that CloudFormation makes: STACK-Storage, what it is, and letters of its own.
PARTS = ("Tasks", "Runs", "Access", "Blobs")


class SeveralError(Exception):
    """More than one set is there, and only a person knows which is the right one."""


def left(stack: str, tables: Iterable[str], buckets: Iterable[str]) -> Mapping[str, str]:
    """Returns what there is by its part, or nothing if no whole set is there."""
    names = [*tables, *buckets]
    found = {part: _of(stack, part, names) for part in PARTS}
    several = [part for part, those in found.items() if len(those) > 1]
    if several:
        listed = ", ".join(name for part in several for name in found[part])
        raise SeveralError(
            f"earlier stacks have left several of {' and '.join(several)}: {listed}. Name those to "
            "go on with: --context kept=Tasks=NAME,Runs=NAME,Access=NAME,Blobs=NAME"
        )
    if not all(found.values()):
        return {}
    return {part: those[0] for part, those in found.items()}


def _of(stack: str, part: str, names: Iterable[str]) -> list[str]:
    """Bucket names have small letters only."""
    start = f"{stack}-Storage{part}".lower()
    return sorted(name for name in names if name.lower().startswith(start))
