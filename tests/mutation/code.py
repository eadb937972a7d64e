"""Functions of a module, and other code put into them: who imported one by name has it too."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

ROOT = Path(__file__).parents[2]
Block = list[ast.stmt]
_BLOCKS = ("body", "orelse", "finalbody")


def path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def parsed(module: str) -> ast.Module:
    return ast.parse((ROOT / path(module)).read_text())


def outermost(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Gives functions and methods by name; what stands inside one belongs to it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def blocks(function: ast.AST) -> Iterator[Block]:
    """Gives every list of statements in it, outer ones first."""
    for node in ast.walk(function):
        for name in _BLOCKS:
            found = getattr(node, name, None)
            if isinstance(found, list) and found and isinstance(found[0], ast.stmt):
                yield found


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def put(module: str, tree: ast.Module, only: str = "") -> None:
    """Puts the tree's code into the functions as they are loaded, or into one of them."""
    compiled = compile(ast.fix_missing_locations(tree), str(ROOT / path(module)), "exec")
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compiled)}
    for function in functions(import_module(module)):
        key = (function.__code__.co_qualname, function.__code__.co_firstlineno)
        if key in codes and only in {"", key[0]}:
            function.__code__ = codes[key]


def forget(modules: Iterable[str]) -> None:
    """Empties their caches: what an earlier history has asked for is computed again."""
    for module in modules:
        for found in vars(import_module(module)).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    for found in vars(module).values():
        if isinstance(found, type) and found.__module__ == module.__name__:
            for inner in tuple(vars(found).values()):
                yield from _inside(inner)
        elif getattr(found, "__module__", "") == module.__name__:
            yield from _inside(found)


def _inside(found: object) -> Iterator[FunctionType]:
    """Gives what a property, a class method, a cache or a context manager wraps."""
    if hasattr(found, "cache_clear"):
        found.cache_clear()
    held = [getattr(found, name, None) for name in ("fget", "func", "__func__", "__wrapped__")]
    for inner in held:
        if inner is not None:
            yield from _inside(inner)
    if inspect.isfunction(found) and not hasattr(found, "__wrapped__"):
        yield found
