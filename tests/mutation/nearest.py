"""The tests nearest to a module: of its name first, then those that import it, or what uses it."""

from __future__ import annotations

import ast
from functools import cache

from tests.mutation.code import ROOT

# Those without a server first: a second each.
_FOLDERS = """
    schedule records store targets dispatch launch work registry upkeep simulation/selftests sdk
    moto api
""".split()
_FILES_MAX, _STEPS_MAX = 30, 3


@cache
def nearest(module: str) -> list[str]:
    """Gives test files, nearest first."""
    *rooms, name = module.split(".")[1:]
    tests = {file: used for folder in _FOLDERS for file, used in _uses(f"tests/{folder}").items()}
    own = f"tests/{'/'.join(rooms)}/test_{name}.py"
    found = [own] if own in tests else []
    wanted, seen = {module}, {module}
    for _ in range(_STEPS_MAX):
        stems = {f"test_{each.rpartition('.')[2]}" for each in wanted}
        # Of its name, though it asks by HTTP and imports nothing of ours.
        named = {file for file in tests if _module(file).rpartition(".")[2] in stems}
        near = [file for file, used in tests.items() if used & wanted or file in named]
        near.sort(key=lambda file: file not in named)
        found += [file for file in near if file not in found and "/test_" in file]
        code = (*_uses("onthedot").items(), *tests.items())
        wanted = {_module(file) for file, used in code if used & wanted} - seen
        seen |= wanted
    return found[:_FILES_MAX]


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


@cache
def _uses(top: str) -> dict[str, set[str]]:
    """Gives what each file imports: modules, and names that may be modules."""
    found = {}
    for path in sorted((ROOT / top).rglob("*.py")):
        used: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                used |= {str(node.module), *(f"{node.module}.{each.name}" for each in node.names)}
        found[str(path.relative_to(ROOT))] = used
    return found
