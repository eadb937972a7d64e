"""Reads PartiQL's INSERT, UPDATE and DELETE; a text is read once, then bound to a table's key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from tests.simulation.stores.conditions import (
    Evaluate,
    Test,
    Values,
    compile_condition,
    compile_term,
)
from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.grammar import Reader, Token, check_reserved
from tests.simulation.stores.nodes import (
    Action,
    Assign,
    Call,
    Compare,
    Condition,
    Every,
    Listing,
    Literal,
    Negation,
    Path,
    Record,
    Remove,
    Slot,
    Some,
    Sum,
    Term,
    conjuncts,
)
from tests.simulation.stores.updates import Change, compile_actions
from tests.simulation.stores.values import Item, Value

_FUNCTIONS = frozenset({"attribute_type", "begins_with", "contains", "size", "list_append"})
_RETURNING = ("ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW")
_NO_FULL_KEY = "Where clause does not contain a mandatory equality on all key attributes"


@dataclass(frozen=True, slots=True)
class Statement:
    table: str
    slots: int
    item: Record | None = None
    actions: tuple[Action, ...] = ()
    where: tuple[Condition, ...] = ()
    returning: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement compiled for one key schema. `make` is an INSERT's, `change` an UPDATE's."""

    slots: int
    key: Callable[[Values], Item]
    make: Callable[[Values], Item] | None
    change: Change | None
    test: Test | None
    returning: str


class StatementReader(Reader):
    def statement(self) -> Statement:
        if self.take("INSERT", "INTO"):
            return self._insert()
        if self.take("UPDATE"):
            return self._update()
        if self.take("DELETE", "FROM"):
            return self._delete()
        if self.says("SELECT"):
            raise NotImplementedError("the simulated store reads by GetItem and Query only")
        self.fail()
        raise AssertionError

    def fail(self, message: str = "") -> None:
        near = message or f"Unexpected token {self.peek().text!r} in {self.text!r}"
        raise Invalid(f"Statement wasn't well formed, can't be processed: {near}")

    def _insert(self) -> Statement:
        table = self._table()
        self.need("VALUE")
        item = self.atom()
        self.need_end()
        if not isinstance(item, Record):
            self.fail("INSERT needs {'name': value, ...}")
        assert isinstance(item, Record)
        return Statement(table, len(self.slots), item=item)

    def _update(self) -> Statement:
        table = self._table()
        actions: list[Action] = []
        while True:
            if self.take("SET"):
                actions.extend(self.comma_list(self._assign))
            elif self.take("REMOVE"):
                actions.extend(self.comma_list(lambda: Remove(self.path())))
            else:
                break
        if not actions:
            self.fail("UPDATE requires at least one SET or REMOVE clause")
        where, returning = self._where(_RETURNING)
        return Statement(
            table, len(self.slots), actions=tuple(actions), where=where, returning=returning
        )

    def _delete(self) -> Statement:
        table = self._table()
        where, returning = self._where(_RETURNING[:1])
        return Statement(table, len(self.slots), where=where, returning=returning)

    def _table(self) -> str:
        return self.name(root=True)

    def _assign(self) -> Action:
        path = self.path()
        self.need_sign("=")
        left = self.term()
        for sign, factor in (("+", 1), ("-", -1)):
            if self.take_sign(sign):
                return Assign(path, Sum(factor, left, self.term()))
        return Assign(path, left)

    def _where(self, allowed: tuple[str, ...]) -> tuple[tuple[Condition, ...], str]:
        self.need("WHERE")
        condition = self.condition()
        returning = ""
        if self.take("RETURNING"):
            returning = f"{self.next().text} {self.next().text}".upper()
            if returning not in allowed:
                self.fail(f"RETURNING {returning}")
            self.need_sign("*")
        self.need_end()
        return conjuncts(condition), returning

    def options(self) -> tuple[Term, ...]:
        closing = "]" if self.take_sign("[") else ")"
        if closing == ")":
            self.need_sign("(")
        options = self.comma_list(self.term)
        self.need_sign(closing)
        return options

    def bare_predicate(self, left: Term) -> Condition:
        if self.take("IS"):
            negated = self.take("NOT")
            self.need("MISSING")
            return Call("attribute_exists" if negated else "attribute_not_exists", (left,))
        if isinstance(left, Call):
            return super().bare_predicate(left)
        self.fail()
        raise AssertionError

    def atom(self) -> Term:
        token = self.peek()
        if self.take_sign("?"):
            return self.slot(len(self.slots))
        if token == Token("sign", "{"):
            return Record(self._fields())
        if self.take_sign("["):
            elements = self.comma_list(self.term)
            self.need_sign("]")
            return Listing(elements)
        literal = self._literal()
        return self.path() if literal is None else Literal(literal)

    def _literal(self) -> Value | None:
        token = self.peek()
        word = token.text.upper() if token.kind == "word" else ""
        if token.kind == "number":
            value: Value = {"N": token.text}
        elif token.kind == "string":
            value = {"S": token.text[1:-1].replace("''", "'")}
        elif word in {"TRUE", "FALSE"}:
            value = {"BOOL": word == "TRUE"}
        elif word == "NULL":
            value = {"NULL": True}
        else:
            return None
        self.place += 1
        return value

    def _fields(self) -> tuple[tuple[str, Term], ...]:
        self.need_sign("{")
        if self.take_sign("}"):
            return ()
        fields = self.comma_list(self._field)
        self.need_sign("}")
        return fields

    def _field(self) -> tuple[str, Term]:
        token = self.next()
        if token.kind != "string":
            self.place -= 1
            self.fail("an attribute name is written in single quotes")
        self.need_sign(":")
        return token.text[1:-1].replace("''", "'"), self.term()

    def function_name(self, word: str) -> str:
        if word.lower() not in _FUNCTIONS:
            self.fail(f"Invalid function name; function: {word}")
        return word.lower()

    def name(self, *, root: bool) -> str:
        token = self.next()
        if token.kind == "quoted":
            return token.text[1:-1].replace('""', '"')
        if token.kind != "word":
            self.place -= 1
            self.fail()
        if root:
            check_reserved(token.text)
        return token.text


@lru_cache(maxsize=4096)
def parse(text: str) -> Statement:
    return StatementReader(text).statement()


@lru_cache(maxsize=4096)
def bind(text: str, key_names: tuple[str, ...]) -> Bound:
    statement = parse(text)
    if statement.item is not None:
        make = _maker(statement.item)
        return Bound(statement.slots, make, make, None, None, "")
    key, others = _split_key(statement.where, key_names)
    change = compile_actions(statement.actions) if statement.actions else None
    for path in () if change is None else change.paths:
        if path.root in key_names:
            raise Invalid(
                "One or more parameter values were invalid: Cannot update attribute "
                f"{path.root}. This attribute is part of the key"
            )
    test = compile_condition(Every(tuple(map(_sql, others)))) if others else None
    return Bound(statement.slots, _maker(key), None, change, test, statement.returning)


def _split_key(
    where: tuple[Condition, ...], key_names: tuple[str, ...]
) -> tuple[Record, tuple[Condition, ...]]:
    key: dict[str, Term] = {}
    others: list[Condition] = []
    for part in where:
        match part:
            case Compare("=", Path((str(name),)), (Slot() | Literal()) as term) if (
                name in key_names and name not in key
            ):
                key[name] = term
            case _:
                others.append(part)
    if len(key) != len(key_names):
        raise Invalid(_NO_FULL_KEY)
    return Record(tuple(key.items())), tuple(others)


def _sql(condition: Condition) -> Condition:
    """PartiQL's `<>` is not true of a missing attribute; the expression language's is."""
    match condition:
        case Compare("<>", Path() as path, _):
            return Every((Call("attribute_exists", (path,)), condition))
        case Negation(part):
            return Negation(_sql(part))
        case Every(parts):
            return Every(tuple(map(_sql, parts)))
        case Some(parts):
            return Some(tuple(map(_sql, parts)))
        case _:
            return condition


def _maker(record: Record) -> Callable[[Values], Item]:
    names = [name for name, _ in record.fields]
    terms = [term for _, term in record.fields]
    if terms == [Slot(place) for place in range(len(terms))]:
        return lambda values: dict(zip(names, values))  # noqa: B905  # more may follow
    if all(isinstance(term, Slot) for term in terms):
        given = [(name, term.key) for name, term in record.fields if isinstance(term, Slot)]
        return lambda values: {name: values[place] for name, place in given}
    parts: list[tuple[str, Evaluate]] = [(n, compile_term(t)) for n, t in record.fields]

    def make(values: Values) -> Item:
        item = {}
        for name, term in parts:
            value = term({}, values)
            if value is None:
                raise Invalid(f"The value of {name} cannot refer to an attribute")
            item[name] = value
        return item

    return make
