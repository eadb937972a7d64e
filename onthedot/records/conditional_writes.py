"""Describes a conditional write as a value, and spells it as PartiQL or as an expression.

Every clause names the state that the writer saw. Nothing else decides who wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

Key = tuple[tuple[str, Any], ...]
Path = tuple[str, ...]
# An operator without a value.
_MISSING = " IS MISSING"


class Outcome(Enum):
    """The result of a write. UNSURE: throttled or unanswered, so the item must be read again."""

    DONE = "done"
    REFUSED = "refused"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition: it compares the attribute at `path` with `value`."""

    path: Path
    operator: str
    value: Any

    @classmethod
    def equal(cls, path: str, value: object) -> Clause:
        """Requires the very value that was seen."""
        return cls(tuple(path.split(".")), "=", value)

    @classmethod
    def missing(cls, name: str) -> Clause:
        """Requires that the attribute does not exist."""
        return cls((name,), _MISSING, None)


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts an item that must not exist yet."""

    table: str
    item: Mapping[str, Any]
    key: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Update:
    """Changes an item that must match the clauses."""

    table: str
    key: Key
    sets: tuple[tuple[str, Any], ...]
    clauses: tuple[Clause, ...]
    removes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Deletes an item that must match the clauses. Only part of a transaction."""

    table: str
    key: Key
    clauses: tuple[Clause, ...]


Write = Insert | Update
# A part of a transaction.
Part = Insert | Update | Delete


@lru_cache(1024)
def insert_statement(table: str, names: tuple[str, ...]) -> str:
    """Spells an insert for PartiQL, which refuses an existing item by itself."""
    values = ", ".join(f"'{name}': ?" for name in names)
    return f'INSERT INTO "{table}" VALUE {{{values}}}'


@lru_cache(1024)
def update_statement(
    table: str,
    sets: tuple[str, ...],
    removes: tuple[str, ...],
    conditions: tuple[tuple[Path, str], ...],
) -> str:
    """Spells an update for PartiQL. The key stands among the conditions."""
    assignments = ", ".join(f"{_quoted((name,))}=?" for name in sets)
    changes = [f"SET {assignments}"] if sets else []
    if removes:
        # One REMOVE for all names: not every engine reads a second one.
        changes.append(f"REMOVE {', '.join(_quoted((name,)) for name in removes)}")
    where = " AND ".join(
        f"{_quoted(path)}{operator}{'' if operator == _MISSING else '?'}"
        for path, operator in conditions
    )
    return f'UPDATE "{table}" {" ".join(changes)} WHERE {where}'


def _quoted(path: Path) -> str:
    return ".".join(f'"{name}"' for name in path)


def statement(write: Write, table: str) -> tuple[str, list[Any]]:
    """Returns the PartiQL text of a write to `table`, the physical name, and its parameters."""
    if isinstance(write, Insert):
        return insert_statement(table, tuple(write.item)), list(write.item.values())
    conditions = tuple(((name,), "=") for name, _ in write.key) + tuple(
        (clause.path, clause.operator) for clause in write.clauses
    )
    text = update_statement(table, tuple(name for name, _ in write.sets), write.removes, conditions)
    values = [value for _, value in write.sets]
    values += [value for _, value in write.key]
    values += [clause.value for clause in write.clauses if clause.operator != _MISSING]
    return text, values


@dataclass(frozen=True, slots=True)
class Expression:
    """The same write for UpdateItem."""

    update: str
    condition: str
    names: dict[str, str]
    values: dict[str, Any]


def expression(write: Update) -> Expression:
    """Spells an update with every name aliased, because many of ours are reserved words."""
    parts = {name for clause in write.clauses for name in clause.path}
    parts |= {name for name, _ in write.sets} | set(write.removes)
    parts |= {write.key[0][0]}
    alias = {name: f"#n{place}" for place, name in enumerate(sorted(parts))}
    sets = [f"{alias[name]} = :s{place}" for place, (name, _) in enumerate(write.sets)]
    update = [f"SET {', '.join(sets)}"] if sets else []
    if write.removes:
        update.append(f"REMOVE {', '.join(alias[name] for name in write.removes)}")
    values = {f":s{place}": value for place, (_, value) in enumerate(write.sets)}
    return Expression(
        update=" ".join(update),
        condition=_condition(write, alias),
        names={short: name for name, short in alias.items()},
        values=values | _compared(write),
    )


def removal(write: Delete) -> Expression:
    """Spells the condition of a deletion. An item that is gone counts as changed."""
    parts = {name for clause in write.clauses for name in clause.path} | {write.key[0][0]}
    alias = {name: f"#n{place}" for place, name in enumerate(sorted(parts))}
    return Expression(
        update="",
        condition=_condition(write, alias),
        names={short: name for name, short in alias.items()},
        values=_compared(write),
    )


def _condition(write: Update | Delete, alias: Mapping[str, str]) -> str:
    conditions = [_compares(clause, place, alias) for place, clause in enumerate(write.clauses)]
    # An update would create a missing item. No write of ours may do that.
    exists = f"attribute_exists({alias[write.key[0][0]]})"
    return " AND ".join([exists, *conditions])


def _compares(clause: Clause, place: int, alias: Mapping[str, str]) -> str:
    path = ".".join(alias[name] for name in clause.path)
    if clause.operator == _MISSING:
        return f"attribute_not_exists({path})"
    return f"{path} {clause.operator} :c{place}"


def _compared(write: Update | Delete) -> dict[str, Any]:
    return {
        f":c{place}": clause.value
        for place, clause in enumerate(write.clauses)
        if clause.operator != _MISSING
    }
