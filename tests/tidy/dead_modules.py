"""Modules that nothing leads to: neither a function, nor a command, nor what those import.

Where it begins is read from the files that name it, so there is no list of exemptions here.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping

from tests.tidy.imports import imported

# Tests and benches use the product; what only they use is no part of it.
PRODUCT = ("onthedot/", "lambdas/", "infra/", "jobs/", "app.py")
# What a recipe or a page says after `python`: `-m onthedot.local`, or `-I infra/alone.py`.
_COMMAND = re.compile(r"(?<![\w-])-m ([a-z_]+(?:\.[a-z_]+)*)")
_FILE = re.compile(r"-I ([a-z_/]+\.py)")


def dead(sources: Mapping[str, str], commands: str, scripts: str) -> list[str]:
    """Gives the paths of the product's modules that no entry point leads to.

    `commands` is the text of recipes and pages, `scripts` that of pyproject.toml.
    """
    modules = {_dotted(path): path for path in sources if path.startswith(PRODUCT)}
    found: set[str] = set()
    waiting = list(_entries(modules, commands, scripts))
    while waiting:
        name = waiting.pop()
        if name in modules and name not in found:
            found.add(name)
            waiting += [name.rpartition(".")[0], *_leads_to(name, sources[modules[name]])]
    paths = sorted(path for name, path in modules.items() if name not in found)
    # A package is as alive as what lies in it, and that is asked by itself.
    return [path for path in paths if not path.endswith("__init__.py")]


def _entries(modules: Mapping[str, str], commands: str, scripts: str) -> Iterator[str]:
    """Yields the functions, the stack, users' handlers, the installed scripts, and all that `-m`
    names.
    """
    yield from (name for name in modules if name.split(".")[0] in ("app", "jobs", "lambdas"))
    named = tomllib.loads(scripts)["project"]["scripts"].values()
    yield from (each.partition(":")[0] for each in named)
    for name in _COMMAND.findall(commands):
        yield from (name, f"{name}.__main__")
    yield from map(_dotted, _FILE.findall(commands))


def _leads_to(name: str, source: str) -> Iterator[str]:
    """Yields what a module imports, by a statement or by a name that it holds as text."""
    for each in imported(source):
        # Of a module, or of something in it.
        yield from (each, each.rpartition(".")[0])
    texts = [*_texts(ast.walk(ast.parse(source)))]
    yield from texts
    # `import_module(f"onthedot.cli.{command}")`: the commands are texts of the same module.
    package = name.rpartition(".")[0]
    if f"{package}." in texts:
        yield from (f"{package}.{each}" for each in texts)


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
