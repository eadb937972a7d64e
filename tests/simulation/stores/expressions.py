"""DynamoDB's expression language: reads a text once, memoised with the names it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn, TypeVar

from tests.simulation.stores.conditions import Test, compile_condition
from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.grammar import Reader, check_reserved
from tests.simulation.stores.nodes import (
    Action,
    Add,
    Assign,
    Condition,
    Path,
    Remove,
    Subtract,
    Sum,
    Term,
)
from tests.simulation.stores.updates import Change, compile_actions
from tests.simulation.stores.values import Value

Result = TypeVar("Result")
Names = tuple[tuple[str, str], ...]
_MEMO = 4096
_PREDICATES = frozenset(
    {"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"}
)
_FUNCTIONS = {
    "ConditionExpression": _PREDICATES | {"size"},
    "FilterExpression": _PREDICATES | {"size"},
    "KeyConditionExpression": frozenset({"begins_with"}),
    "UpdateExpression": frozenset({"if_not_exists", "list_append"}),
    "ProjectionExpression": frozenset[str](),
}


@dataclass(frozen=True, slots=True)
class Write:
    test: Test | None
    change: Change | None
    slots: frozenset[str | int]


@dataclass(frozen=True, slots=True)
class Read:
    key: Condition | None
    filter: Test | None
    filtered: frozenset[str]
    projection: tuple[Path, ...] | None
    slots: frozenset[str | int]


class Expression(Reader):
    def __init__(self, kind: str, text: str, names: Mapping[str, str]) -> None:
        self.kind = kind
        self.names = names
        self.used: set[str] = set()
        self.roots: set[str] = set()
        super().__init__(text)

    def atom(self) -> Term:
        token = self.peek()
        if token.kind == "slot":
            self.place += 1
            return self.slot(token.text)
        return self.path()

    def path(self) -> Path:
        path = super().path()
        self.roots.add(path.root)
        return path

    def name(self, *, root: bool) -> str:
        del root
        token = self.next()
        if token.kind == "alias":
            self.used.add(token.text)
            if token.text not in self.names:
                raise Invalid(
                    "An expression attribute name used in the document path is not defined; "
                    f"attribute name: {token.text}"
                )
            return self.names[token.text]
        if token.kind != "word":
            self.place -= 1
            self.fail()
        check_reserved(token.text)
        return token.text

    def function_name(self, word: str) -> str:
        if word not in _FUNCTIONS[self.kind]:
            self.fail(f"Invalid function name; function: {word}")
        return word

    def update(self) -> tuple[Action, ...]:
        actions: list[Action] = []
        sections = {
            "SET": self._assign,
            "REMOVE": lambda: Remove(self.path()),
            "ADD": lambda: Add(self.path(), self.term()),
            "DELETE": lambda: Subtract(self.path(), self.term()),
        }
        while section := next((word for word in sections if self.take(word)), None):
            actions.extend(self.comma_list(sections.pop(section)))
        if not actions:
            self.fail()
        return tuple(actions)

    def _assign(self) -> Action:
        path = self.path()
        self.need_sign("=")
        return Assign(path, self.operand())

    def operand(self) -> Term:
        left = self.term()
        for sign, factor in (("+", 1), ("-", -1)):
            if self.take_sign(sign):
                return Sum(factor, left, self.term())
        return left


@lru_cache(maxsize=_MEMO)
def write(names: Names, condition: str | None, update: str | None) -> Write:
    table = dict(names)
    readers: list[Expression] = []
    test: Test | None = None
    change: Change | None = None
    if update is not None:
        reader = _open("UpdateExpression", update, table, readers)
        change = _closed(reader, lambda: compile_actions(reader.update()))
    if condition is not None:
        reader = _open("ConditionExpression", condition, table, readers)
        test = _closed(reader, lambda: compile_condition(reader.condition()))
    return Write(test, change, _checked(readers, table))


@lru_cache(maxsize=_MEMO)
def read(names: Names, key: str | None, condition: str | None, projection: str | None) -> Read:
    table = dict(names)
    readers: list[Expression] = []
    key_condition: Condition | None = None
    test: Test | None = None
    paths: tuple[Path, ...] | None = None
    filtered: frozenset[str] = frozenset()
    if key is not None:
        reader = _open("KeyConditionExpression", key, table, readers)
        key_condition = _closed(reader, reader.condition)
    if condition is not None:
        reader = _open("FilterExpression", condition, table, readers)
        test = _closed(reader, lambda: compile_condition(reader.condition()))
        filtered = frozenset(reader.roots)
    if projection is not None:
        reader = _open("ProjectionExpression", projection, table, readers)
        paths = _closed(reader, lambda: reader.comma_list(reader.path))
    return Read(key_condition, test, filtered, paths, _checked(readers, table))


def _open(kind: str, text: str, names: Mapping[str, str], readers: list[Expression]) -> Expression:
    if not text:
        raise Invalid(f"Invalid {kind}: The expression can not be empty;")
    try:
        reader = Expression(kind, text, names)
    except Invalid as problem:
        _blame(kind, problem)
    readers.append(reader)
    return reader


def _closed(reader: Expression, parse: Callable[[], Result]) -> Result:
    """Returns what `parse` reads, if it reads to the end; the expression's kind goes into the
    error.
    """
    try:
        result = parse()
        reader.need_end()
    except Invalid as problem:
        _blame(reader.kind, problem)
    return result


def _blame(kind: str, problem: Invalid) -> NoReturn:
    raise Invalid(f"Invalid {kind}: {problem.message}") from None


def _checked(readers: list[Expression], names: Mapping[str, str]) -> frozenset[str | int]:
    unused = names.keys() - {alias for reader in readers for alias in reader.used}
    if unused:
        raise Invalid(
            "Value provided in ExpressionAttributeNames unused in expressions: "
            f"keys: {{{', '.join(sorted(unused))}}}"
        )
    return frozenset(slot for reader in readers for slot in reader.slots)


def check_values(slots: frozenset[str | int], values: Mapping[str, Value], kind: str) -> None:
    """Checks that every value used is given, and every value given is used."""
    if slots == values.keys():
        return
    missing = slots - values.keys()
    if missing:
        raise Invalid(
            f"Invalid {kind}: An expression attribute value used in expression is not defined; "
            f"attribute value: {min(map(str, missing))}"
        )
    unused = ", ".join(sorted(map(str, values.keys() - slots)))
    raise Invalid(
        f"Value provided in ExpressionAttributeValues unused in expressions: keys: {{{unused}}}"
    )
