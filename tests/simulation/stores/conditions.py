"""Compiles conditions and terms to closures over (item, values). Values: a list or a dict."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, assert_never

from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.nodes import (
    Among,
    Between,
    Call,
    Compare,
    Condition,
    Every,
    Listing,
    Literal,
    Negation,
    Path,
    Record,
    Slot,
    Some,
    Step,
    Sum,
    Term,
)
from tests.simulation.stores.values import (
    Item,
    Value,
    equal,
    kind_of,
    number,
    ordered,
    spell,
    value_bytes,
)

Values = Any
Test = Callable[[Item, Values], bool]
Evaluate = Callable[[Item, Values], Value | None]

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compile_condition(condition: Condition) -> Test:
    match condition:
        case Every(parts):
            return _every([compile_condition(part) for part in parts])
        case Some(parts):
            return _some([compile_condition(part) for part in parts])
        case Negation(part):
            inner = compile_condition(part)
            return lambda item, values: not inner(item, values)
        case Compare():
            return _compare(condition)
        case Between(term, low, high):
            return _every([_ordering("<=", low, term), _ordering("<=", term, high)])
        case Among(term, options):
            return _some([_equality(term, option) for option in options])
        case Call():
            return _predicate(condition)
    assert_never(condition)


def _every(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:  # the common case, without a loop
        first, second = tests
        return lambda item, values: first(item, values) and second(item, values)

    def every(item: Item, values: Values) -> bool:
        for test in tests:  # noqa: SIM110  # all() with a generator costs twice as much
            if not test(item, values):
                return False
        return True

    return every


def _some(tests: list[Test]) -> Test:
    def some(item: Item, values: Values) -> bool:
        for test in tests:  # noqa: SIM110  # any() with a generator costs twice as much
            if test(item, values):
                return True
        return False

    return some


def _compare(condition: Compare) -> Test:
    if condition.operator == "=":
        return _equality(condition.left, condition.right)
    if condition.operator == "<>":
        equality = _equality(condition.left, condition.right)
        return lambda item, values: not equality(item, values)
    return _ordering(condition.operator, condition.left, condition.right)


def _equality(left: Term, right: Term) -> Test:
    if isinstance(left, Path) and len(left.steps) == 1 and isinstance(right, Slot):
        return _attribute_equals(left.root, right.key)
    one, other = compile_term(left), compile_term(right)

    def equality(item: Item, values: Values) -> bool:
        found, wanted = one(item, values), other(item, values)
        return found is not None and wanted is not None and equal(found, wanted)

    return equality


def _attribute_equals(name: str, key: str | int) -> Test:
    """Returns the comparison nearly every conditional write is made of, in one call."""

    def attribute_equals(item: Item, values: Values) -> bool:
        found = item.get(name)
        if found is None:
            return False
        wanted = values[key]
        return found == wanted or equal(found, wanted)

    return attribute_equals


def _ordering(sign: str, left: Term, right: Term) -> Test:
    holds = _ORDERINGS[sign]
    if isinstance(left, Path) and len(left.steps) == 1 and isinstance(right, Slot):
        return _attribute_in_order(holds, left.root, right.key)
    one, other = compile_term(left), compile_term(right)

    def ordering(item: Item, values: Values) -> bool:
        found, wanted = one(item, values), other(item, values)
        return found is not None and wanted is not None and _in_order(holds, found, wanted)

    return ordering


def _in_order(holds: Callable[[Any, Any], bool], found: Value, wanted: Value) -> bool:
    low, high = ordered(found), ordered(wanted)
    if low is None or high is None or low[0] != high[0]:
        return False
    return holds(low[1], high[1])


def _attribute_in_order(holds: Callable[[Any, Any], bool], name: str, key: str | int) -> Test:
    """Strings and numbers, which is what conditions and key conditions compare, in one call."""

    def attribute_in_order(item: Item, values: Values) -> bool:
        found = item.get(name)
        if found is None:
            return False
        wanted = values[key]
        if "S" in found:
            return "S" in wanted and holds(found["S"], wanted["S"])
        if "N" in found:
            return "N" in wanted and holds(number(found["N"]), number(wanted["N"]))
        return _in_order(holds, found, wanted)

    return attribute_in_order


def _predicate(call: Call) -> Test:
    wanted = {"attribute_exists": 1, "attribute_not_exists": 1}.get(call.name, 2)
    if len(call.arguments) != wanted:
        raise Invalid(f"Incorrect number of operands for operator or function: {call.name}")
    subject = compile_term(call.arguments[0])
    if call.name == "attribute_exists":
        return lambda item, values: subject(item, values) is not None
    if call.name == "attribute_not_exists":
        return lambda item, values: subject(item, values) is None
    relation = _RELATIONS.get(call.name)
    if relation is None:
        raise Invalid(f"Invalid function name; function: {call.name}")
    other = compile_term(call.arguments[1])

    def predicate(item: Item, values: Values) -> bool:
        found, wanted = subject(item, values), other(item, values)
        return found is not None and wanted is not None and relation(found, wanted)

    return predicate


def _begins_with(found: Value, prefix: Value) -> bool:
    kind = kind_of(prefix)
    return kind in {"S", "B"} and kind in found and found[kind].startswith(prefix[kind])


def _contains(found: Value, wanted: Value) -> bool:
    kind = kind_of(found)
    if kind == "L":
        return any(equal(element, wanted) for element in found["L"])
    if kind in {"SS", "NS", "BS"}:
        return any(equal({kind[0]: element}, wanted) for element in found[kind])
    return kind in {"S", "B"} and kind in wanted and wanted[kind] in found[kind]


def _is_of_type(found: Value, kind: Value) -> bool:
    return kind.get("S") in found


_RELATIONS: dict[str, Callable[[Value, Value], bool]] = {
    "begins_with": _begins_with,
    "contains": _contains,
    "attribute_type": _is_of_type,
}


def compile_term(term: Term) -> Evaluate:
    match term:
        case Path(steps):
            return _lookup(steps)
        case Slot(key):
            return lambda _, values: values[key]
        case Literal(value):
            return lambda *_: value
        case Record(fields):
            parts = [(name, compile_term(field)) for name, field in fields]
            return lambda item, values: {"M": {name: part(item, values) for name, part in parts}}
        case Listing(elements):
            listed = [compile_term(element) for element in elements]
            return lambda item, values: {"L": [part(item, values) for part in listed]}
        case Call():
            return _function(term)
        case Sum(sign, left, right):
            return _sum(sign, left, right)
    assert_never(term)


def _lookup(steps: tuple[Step, ...]) -> Evaluate:
    root = str(steps[0])
    if len(steps) == 1:
        return lambda item, _: item.get(root)

    def lookup(item: Item, _: Values) -> Value | None:
        return reach(item.get(root), steps[1:])

    return lookup


def reach(value: Value | None, steps: tuple[Step, ...]) -> Value | None:
    for step in steps:
        if value is None:
            return None
        if isinstance(step, str):
            value = value.get("M", {}).get(step)
        else:
            elements = value.get("L", [])
            value = elements[step] if step < len(elements) else None
    return value


def _function(call: Call) -> Evaluate:
    arguments = [compile_term(argument) for argument in call.arguments]
    if call.name == "size" and len(arguments) == 1:
        return lambda item, values: _size(arguments[0](item, values))
    if call.name == "if_not_exists" and isinstance(call.arguments[0], Path):
        present, otherwise = arguments
        return lambda item, values: present(item, values) or otherwise(item, values)
    if call.name == "list_append":
        return lambda item, values: _appended(*(part(item, values) for part in arguments))
    raise Invalid(f"Invalid function name; function: {call.name}")


def _size(value: Value | None) -> Value | None:
    if value is None:
        return None
    ((kind, content),) = value.items()
    if kind in {"S", "B"}:
        return {"N": str(value_bytes(value))}
    if kind in {"SS", "NS", "BS", "L", "M"}:
        return {"N": str(len(content))}
    raise Invalid(f"Incorrect operand type for operator or function: size, operand type: {kind}")


def _appended(left: Value | None, right: Value | None) -> Value | None:
    if left is None or right is None:
        return None
    if "L" not in left or "L" not in right:
        raise Invalid("An operand in the update expression has an incorrect data type")
    return {"L": [*left["L"], *right["L"]]}


def _sum(sign: int, left: Term, right: Term) -> Evaluate:
    one, other = compile_term(left), compile_term(right)

    def total(item: Item, values: Values) -> Value | None:
        first, second = one(item, values), other(item, values)
        if first is None or second is None:
            return None
        return added(first, second, sign)

    return total


def added(left: Value, right: Value, sign: int = 1) -> Value:
    if "N" not in left or "N" not in right:
        raise Invalid("An operand in the update expression has an incorrect data type")
    return {"N": spell(number(left["N"]) + sign * number(right["N"]))}
