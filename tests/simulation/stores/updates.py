"""Compiles the actions of an update to one function: (item, values) -> the item afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from tests.simulation.stores.conditions import Values, added, compile_term, reach
from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.nodes import Action, Add, Assign, Path, Remove, Step, Subtract
from tests.simulation.stores.values import Item, Value, kind_of, number

Apply = Callable[[Item, Values], Item]
_WRONG_TYPE = "An operand in the update expression has an incorrect data type"
_NO_SUCH_OPERAND = "The provided expression refers to an attribute that does not exist in the item"
_NO_SUCH_PLACE = "The document path provided in the update expression is invalid for update"
_SETS = frozenset({"SS", "NS", "BS"})


@dataclass(frozen=True, slots=True)
class Change:
    apply: Apply
    paths: tuple[Path, ...]
    roots: frozenset[str]


def compile_actions(actions: tuple[Action, ...]) -> Change:
    _check_overlap([action.path for action in actions])
    flat = all(isinstance(a, Assign | Remove) and len(a.path.steps) == 1 for a in actions)
    return Change(
        apply=_whole_attributes(actions) if flat else _any_place(actions),
        paths=tuple(action.path for action in actions),
        roots=frozenset(action.path.root for action in actions),
    )


def _any_place(actions: tuple[Action, ...]) -> Apply:
    steps = [_step(action) for action in actions]

    def apply(item: Item, values: Values) -> Item:
        after = dict(item)
        for step in steps:
            step(item, after, values)
        return after

    return apply


def _whole_attributes(actions: tuple[Action, ...]) -> Apply:
    """Returns what nearly every update does, without a call an action."""
    assigned = [(a.path.root, compile_term(a.term)) for a in actions if isinstance(a, Assign)]
    removed = [action.path.root for action in actions if isinstance(action, Remove)]

    def apply(item: Item, values: Values) -> Item:
        after = dict(item)
        for name, value in assigned:
            found = value(item, values)
            if found is None:
                raise Invalid(_NO_SUCH_OPERAND)
            after[name] = found
        for name in removed:
            after.pop(name, None)
        return after

    return apply


def _check_overlap(paths: list[Path]) -> None:
    for one, other in combinations(paths, 2):
        shared = min(len(one.steps), len(other.steps))
        if one.steps[:shared] == other.steps[:shared]:
            raise Invalid(
                "Two document paths overlap with each other; must remove or rewrite one of these "
                f"paths; path one: [{one}], path two: [{other}]"
            )


Act = Callable[[Item, Item, Values], None]


def _step(action: Action) -> Act:
    path = action.path.steps
    if isinstance(action, Remove):
        return lambda _, after, __: _place(after, path, None)
    term = compile_term(action.term)
    combine = {Assign: _replace, Add: _add, Subtract: _subtract}[type(action)]

    def step(item: Item, after: Item, values: Values) -> None:
        found = term(item, values)
        if found is None:
            raise Invalid(_NO_SUCH_OPERAND)
        before = reach(item.get(str(path[0])), path[1:])
        _place(after, path, combine(before, found))

    return step


def _replace(_: Value | None, given: Value) -> Value | None:
    return given


def _add(before: Value | None, given: Value) -> Value | None:
    kind = kind_of(given)
    if kind != "N" and kind not in _SETS:
        raise Invalid(_WRONG_TYPE)
    if before is None:
        return given
    if kind not in before:
        raise Invalid(_WRONG_TYPE)
    if kind == "N":
        return added(before, given)
    new = [element for element in given[kind] if not _holds(before[kind], element, kind)]
    return {kind: [*before[kind], *new]}


def _subtract(before: Value | None, given: Value) -> Value | None:
    kind = kind_of(given)
    if kind not in _SETS or (before is not None and kind not in before):
        raise Invalid(_WRONG_TYPE)
    if before is None:
        return None
    left = [element for element in before[kind] if not _holds(given[kind], element, kind)]
    return {kind: left} if left else None


def _holds(elements: list[str], element: str, kind: str) -> bool:
    if kind == "NS":
        return any(number(other) == number(element) for other in elements)
    return element in elements


def _place(item: Item, path: tuple[Step, ...], value: Value | None) -> None:
    """Puts a value (None: nothing) at the path; copies what it goes through, never shares it."""
    root = str(path[0])
    if len(path) > 1:
        if root not in item:
            raise Invalid(_NO_SUCH_PLACE)
        item[root] = _placed(item[root], path[1:], value)
    elif value is None:
        item.pop(root, None)
    else:
        item[root] = value


def _placed(holder: Value, path: tuple[Step, ...], value: Value | None) -> Value:
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return {"L": _placed_in_list(holder, step, rest, value)}
    if "M" not in holder:
        raise Invalid(_NO_SUCH_PLACE)
    fields = dict(holder["M"])
    if rest:
        if step not in fields:
            raise Invalid(_NO_SUCH_PLACE)
        fields[step] = _placed(fields[step], rest, value)
    elif value is None:
        fields.pop(step, None)
    else:
        fields[step] = value
    return {"M": fields}


def _placed_in_list(
    holder: Value, place: int, rest: tuple[Step, ...], value: Value | None
) -> list[Value]:
    if "L" not in holder:
        raise Invalid(_NO_SUCH_PLACE)
    elements = list(holder["L"])
    if rest:
        if place >= len(elements):
            raise Invalid(_NO_SUCH_PLACE)
        elements[place] = _placed(elements[place], rest, value)
    elif value is None:
        del elements[place : place + 1]
    elif place < len(elements):
        elements[place] = value
    else:
        elements.append(value)
    return elements
