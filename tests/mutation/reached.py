"""Which statements a history reaches: each marks itself, by a line put in front of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import compress
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


class Reached:
    """What was reached since it was last forgotten."""

    def __init__(self) -> None:
        self._marks: list[tuple[list[Point], bytearray]] = []

    def put_into(self, module: str) -> None:
        """Lets each statement of the module mark itself."""
        tree = parsed(module)
        names: list[Point] = []
        for name, function in outermost(tree):
            for block in list(blocks(function)):
                block[:] = _marked(block, Point(module, name, 0), names)
        marks = bytearray(len(names))
        import_module(module).__dict__[_NAME] = marks
        put(module, tree)
        self._marks.append((names, marks))

    def forget(self) -> None:
        for _, marks in self._marks:
            marks[:] = bytes(len(marks))

    def points(self) -> frozenset[Point]:
        return frozenset(point for names, marks in self._marks for point in compress(names, marks))


def listen(modules: Iterable[str]) -> Reached:
    """Lets their statements say that they were reached."""
    reached = Reached()
    for module in modules:
        reached.put_into(module)
    return reached


def _statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    for block in blocks(function):
        yield from (statement for statement in block if not is_docstring(statement))


def _marked(block: list[ast.stmt], inside: Point, names: list[Point]) -> list[ast.stmt]:
    """Gives the block with a mark before each statement: a store costs a tenth of a call."""
    made: list[ast.stmt] = []
    for statement in block:
        if not is_docstring(statement):
            place = ast.Subscript(
                ast.Name(_NAME, ast.Load()), ast.Constant(len(names)), ast.Store()
            )
            mark = ast.Assign([place], ast.Constant(1))
            made.append(ast.copy_location(mark, statement))
            names.append(inside._replace(line=statement.lineno))
        made.append(statement)
    return made
