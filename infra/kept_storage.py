"""Finds the tables and the bucket that an earlier stack of this name has left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# The names that CloudFormation makes: STACK-Storage, what it is, and letters of its own.
TABLES = ("Tasks", "Runs", "Access")
PARTS = (*TABLES, "Blobs")
# The beginning of all buckets of ours. Bucket names have small letters only.
BUCKETS = "onthedot-"
_NAMING = "--context kept=Tasks=NAME,Runs=NAME,Access=NAME,Blobs=NAME"


class UndecidedError(Exception):
    """Only a person knows what is right."""


def left(stack: str, tables: Iterable[str], buckets: Iterable[str]) -> Mapping[str, str]:
    """Returns what there is by its part, or nothing if no table is there.

    Without one of its parts, a set cannot go on, and new tables beside it would be empty: a person
    decides.
    """
    named = sorted(tables)
    found = {part: _starting(f"{stack}-Storage{part}", named) for part in TABLES}
    found["Blobs"] = _starting(f"{stack}-StorageBlobs".lower(), sorted(buckets))
    if not any(found[part] for part in TABLES):
        return {}
    several = [part for part, those in found.items() if len(those) > 1]
    if several:
        listed = ", ".join(name for part in several for name in found[part])
        raise UndecidedError(
            f"earlier stacks have left several of {' and '.join(several)}: {listed}. Name those to "
            f'go on with: OPTIONS="{_NAMING}"'
        )
    missing = [part for part, those in found.items() if not those]
    if missing:
        listed = ", ".join(name for those in found.values() for name in those)
        raise UndecidedError(
            f"an earlier stack has left {listed}, but no {' and no '.join(missing)}. Delete what "
            f'is left, or name all parts: OPTIONS="{_NAMING}"'
        )
    return {part: those[0] for part, those in found.items()}


def _starting(start: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(start)]
