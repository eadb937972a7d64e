"""A conditional write as a value, and its two spellings: a PartiQL statement, an expression.

Every clause names the state that the writer saw; nothing else decides who wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

Key = tuple[tuple[str, Any], ...]
Path = tuple[str, ...]
# An operator that compares with nothing.
_MISSING = " IS MISSING"


class Outcome(Enum):
    """What became of a write. UNSURE is neither: throttled or unanswered, to be read again."""

    DONE = "done"
    REFUSED = "refused"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition: the attribute at `path` compares so with `value`."""

    path: Path
    operator: str
    value: Any

    @classmethod
    def equal(cls, path: str, value: object) -> Clause:
        """Name the very state that was seen."""
        return cls(tuple(path.split(".")), "=", value)

    @classmethod
    def missing(cls, name: str) -> Clause:
        """Say that there is no such attribute yet."""
        return cls((name,), _MISSING, None)


@dataclass(frozen=True, slots=True)
class Insert:
    """Put an item that must not exist yet."""

    table: str
    item: Mapping[str, Any]
    key: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Update:
    """Change an item that must be as the clauses say."""

    table: str
    key: Key
    sets: tuple[tuple[str, Any], ...]
    clauses: tuple[Clause, ...]
    removes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Take an item away that must be as the clauses say; only together with other writes."""

    table: str
    key: Key
    clauses: tuple[Clause, ...]


Write = Insert | Update
# What may be part of a transaction.
Part = Insert | Update | Delete


@lru_cache(1024)
def insert_statement(table: str, names: tuple[str, ...]) -> str:
    """Spell an insert for PartiQL; it refuses an item that exists by itself."""
    values = ", ".join(f"'{name}': ?" for name in names)
    return f'INSERT INTO "{table}" VALUE {{{values}}}'


@lru_cache(1024)
def update_statement(
    table: str,
    sets: tuple[str, ...],
    removes: tuple[str, ...],
    conditions: tuple[tuple[Path, str], ...],
) -> str:
    """Spell an update for PartiQL; the key stands among the conditions."""
    assignments = ", ".join(f"{_quoted((name,))}=?" for name in sets)
    changes = [f"SET {assignments}"] if sets else []
    if removes:
        # One clause for all: not every engine reads a second.
        changes.append(f"REMOVE {', '.join(_quoted((name,)) for name in removes)}")
    where = " AND ".join(
        f"{_quoted(path)}{operator}{'' if operator == _MISSING else '?'}"
        for path, operator in conditions
    )
    return f'UPDATE "{table}" {" ".join(changes)} WHERE {where}'


def _quoted(path: Path) -> str:
    return ".".join(f'"{name}"' for name in path)


def statement(write: Write, table: str) -> tuple[str, list[Any]]:
    """Give the PartiQL text of a write to `table`, as it is really called, and the parameters."""
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
    """Spell an update with every name aliased: many of ours are reserved words."""
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
    """Spell the condition of a deletion; what is gone already is no longer as it was seen."""
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
    # An update would make an item that is missing; no write of ours may.
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
