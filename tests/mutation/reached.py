"""Which statements a history reaches: each says so itself, by a call put in front of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import NamedTuple

from tests.mutation.code import blocks, is_docstring, outermost, parsed, put

_NAME = "_reached_a_statement"


class Point(NamedTuple):
    """A statement of a function."""

    module: str
    function: str
    line: int


def points(modules: Iterable[str]) -> set[Point]:
    """Gives every statement of theirs."""
    return {
        Point(module, name, statement.lineno)
        for module in modules
        for name, function in outermost(parsed(module))
        for statement in _statements(function)
    }


def listen(modules: Iterable[str]) -> set[Point]:
    """Lets their statements put themselves into the set that it gives."""
    seen: set[Point] = set()
    for module in modules:
        tree = parsed(module)
        names: list[Point] = []
        for name, function in outermost(tree):
            for block in list(blocks(function)):
                block[:] = _called(block, Point(module, name, 0), names)
        import_module(module).__dict__[_NAME] = _Calls(names, seen)
        put(module, tree)
    return seen


class _Calls:
    """Takes the number of a point that was reached."""

    def __init__(self, names: list[Point], seen: set[Point]) -> None:
        self._names, self._seen = names, seen

    def __call__(self, number: int) -> None:
        self._seen.add(self._names[number])


def _statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    for block in blocks(function):
        yield from (statement for statement in block if not is_docstring(statement))


def _called(block: list[ast.stmt], inside: Point, names: list[Point]) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    for statement in block:
        if not is_docstring(statement):
            call = ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(len(names))], [])
            made.append(ast.copy_location(ast.Expr(call), statement))
            names.append(inside._replace(line=statement.lineno))
        made.append(statement)
    return made
