"""Small changes to the code: each would be a fault, and some history or test ought to show it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from tests.mutation.code import ROOT, Block, blocks, is_docstring, outermost, parsed, path, put
from tests.mutation.decision_modules import ROOMS
from tests.mutation.reached import Point

_OPERATORS: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}
_OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}
# What is only read by people is no decision.
_TOLD = frozenset({"_log", "telemetry"})
_NO_DECISION = frozenset({"annotation", "returns", "decorator_list", "format_spec", "ctx"})
_CONDITIONS = frozenset({"test", "guard", "ifs"})
# Statements, and what holds them, are looked at by themselves.
_BESIDE = (ast.stmt, ast.ExceptHandler, ast.arguments)
# The rooms whose functions have effects.
_EFFECTS = tuple(f"onthedot.{room}" for room in ("store", "targets", *ROOMS))


@dataclass(frozen=True, slots=True)
class Change:
    """The `number`-th change of a module, and how it reads."""

    module: str
    number: int
    # The statement that it changes.
    at: Point
    line: int
    source: str
    before: str
    after: str

    def __str__(self) -> str:
        where = f"{path(self.module)}:{self.line} {self.at.function}"
        return f"{where}\n    {self.source}\n    {self.before}  →  {self.after}"


@dataclass(frozen=True, slots=True)
class _Site:
    """A statement of a function, a node of it, and what comes in the node's place by `do`."""

    function: str
    statement: ast.stmt
    node: ast.AST
    other: ast.AST
    do: Callable[[], None]


def changes(module: str) -> list[Change]:
    """Lists every change of a module."""
    lines = (ROOT / path(module)).read_text().splitlines()
    found = []
    for number, site in enumerate(_sites(parsed(module))):
        at = Point(module, site.function, site.statement.lineno)
        line = getattr(site.node, "lineno", at.line)
        texts = (lines[line - 1].strip(), _read(site.node), _read(site.other))
        found.append(Change(module, number, at, line, *texts))
    return found


def plant(change: Change) -> None:
    """Puts it into the code as loaded."""
    tree = parsed(change.module)
    next(islice(_sites(tree), change.number, None)).do()
    put(change.module, tree, only=change.at.function)


def _read(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).replace("\n", " ⏎ ")[:160]


def _sites(tree: ast.Module) -> Iterator[_Site]:
    effects = _effects(tree)
    for name, function in outermost(tree):
        for block in blocks(function):
            for place, statement in enumerate(block):
                if is_docstring(statement) or _is_told(statement):
                    continue
                yield from _left_out(name, block, place)
                yield from _swapped(name, block, place, effects)
                if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise):
                    yield from _altered(name, statement)


def _altered(name: str, statement: ast.stmt) -> Iterator[_Site]:
    """Yields another operator, number or condition in what the statement itself says."""
    for put_there, field, node in _expressions(statement):
        for other in _others(node, field):
            made = ast.copy_location(other, node)
            yield _Site(name, statement, node, made, partial(put_there, made))


def _expressions(holder: ast.AST) -> Iterator[tuple[Callable[[ast.AST], None], str, ast.AST]]:
    """Gives each node of a statement, without the statements that stand inside it."""
    for field, value in ast.iter_fields(holder):
        if field in _NO_DECISION:
            continue
        if isinstance(value, ast.AST) and not isinstance(value, _BESIDE):
            yield partial(setattr, holder, field), field, value
            yield from _expressions(value)
        for place, node in enumerate(value if isinstance(value, list) else ()):
            if isinstance(node, ast.AST) and not isinstance(node, _BESIDE):
                yield partial(value.__setitem__, place), field, node
                yield from _expressions(node)


def _others(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """Gives what may stand in its place."""
    if field in _CONDITIONS and isinstance(node, ast.expr) and not _turns_by_itself(node):
        yield ast.UnaryOp(ast.Not(), node)
    match node:
        case ast.Compare(left, ops, comparators):
            for place, operator in enumerate(ops):
                turned = [*ops[:place], _OPERATORS[type(operator)](), *ops[place + 1 :]]
                yield ast.Compare(left, turned, comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(_OPERATORS[type(op)](), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS and not _is_text(left, right):
            yield ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Call(ast.Name(called), args, keywords) if called in _OPPOSITES:
            yield ast.Call(ast.Name(_OPPOSITES[called], ast.Load()), args, keywords)


def _turns_by_itself(node: ast.expr) -> bool:
    """Tells whether another operator in it is already the opposite."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn)
    return isinstance(node, ast.Constant)


def _is_text(*nodes: ast.expr) -> bool:
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    return any(
        isinstance(node, texts) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        for node in nodes
    )


def _left_out(name: str, block: Block, place: int) -> Iterator[_Site]:
    """A statement is left out, or gives nothing back."""
    statement = block[place]
    other: ast.stmt | None = None
    if isinstance(statement, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Expr):
        other = ast.Pass()
    elif isinstance(statement, ast.Assign):
        # Without a name that is read later, the change would be an error at once.
        other = None if isinstance(statement.targets[0], ast.Name | ast.Tuple) else ast.Pass()
    elif isinstance(statement, ast.Return) and not _is_nothing(statement.value):
        other = ast.Return(ast.Constant(None))
    if other is not None:
        made = ast.copy_location(other, statement)
        yield _Site(name, statement, statement, made, partial(block.__setitem__, place, made))


def _is_nothing(value: ast.expr | None) -> bool:
    """Tells whether it is None, or a constant that is changed by itself."""
    return value is None or (
        isinstance(value, ast.Constant) and not isinstance(value.value, str | bytes)
    )


def _swapped(name: str, block: Block, place: int, effects: frozenset[str]) -> Iterator[_Site]:
    """Yields two effects, one after the other, of which neither needs the other."""
    pair = block[place : place + 2]
    if len(pair) < 2 or not all(_has_effect(each, effects) for each in pair):
        return
    first, second = pair
    if _bound(first) & _used(second) or _bound(second) & _used(first):
        return
    turned = [second, first]
    whole = ast.copy_location(ast.If(ast.Constant(value=True), pair, []), first)
    other = ast.If(ast.Constant(value=True), turned, [])
    swap = partial(block.__setitem__, slice(place, place + 2), turned)
    yield _Site(name, first, whole, other, swap)


def _has_effect(statement: ast.stmt, effects: frozenset[str]) -> bool:
    if _is_told(statement):
        return False
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    return _root(statement.value) in effects


def _effects(tree: ast.Module) -> frozenset[str]:
    """Gives what the module imports of those that call the stores."""
    return frozenset(
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(_EFFECTS)
        for alias in node.names
    )


def _bound(statement: ast.stmt) -> set[str]:
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def _used(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _is_told(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and _root(statement.value) in _TOLD
    )


def _root(node: ast.expr) -> str:
    """Gives the name at the left end: `a` of `a.b(c).d()`."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
