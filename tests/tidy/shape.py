"""How large a file and a function may be, how things may be named, what a module must say."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

LINES_MAX = 400
MODULES_MAX = 25
_DOORS = {"cli", "client", "local", "sdk", "worker"}
FUNCTION_LINES_MAX = 40
DOCSTRING_LINES_MAX = 3
# What is larger is generated or belongs elsewhere: every clone carries it for ever.
FILE_BYTES_MAX = 256_000

VAGUE_WORDS = {
    "common",
    "helper",
    "helpers",
    "manager",
    "managers",
    "processor",
    "processors",
    "service",
    "services",
    "util",
    "utils",
}
VAGUE_NAMES = {"data", "info"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def too_long(source: str) -> list[str]:
    """Returns the file and its functions, beyond their limits."""
    lines = len(source.splitlines())
    found = [f"{lines} lines"] if lines > LINES_MAX else []
    found += [each.name for each in _functions(source) if _length(each) > FUNCTION_LINES_MAX]
    return found


def too_large(sizes: Mapping[str, int]) -> list[str]:
    """Returns the files with more bytes than a file may have."""
    return [name for name, size in sizes.items() if size > FILE_BYTES_MAX]


def vague(path: str, source: str) -> list[str]:
    """Returns the folders, files, classes and functions named so that they could hold anything."""
    names = [*PurePath(path).with_suffix("").parts]
    names += [each.name for each in _definitions(source)]
    return [name for name in names if _is_vague(name)]


def undocumented(path: str, source: str) -> bool:
    """Tells whether a module lacks its one to three lines; an empty `__init__` needs none."""
    if path.endswith("__init__.py") and not source:
        return False
    docstring = ast.get_docstring(ast.parse(source)) or ""
    return not 1 <= len(docstring.splitlines()) <= DOCSTRING_LINES_MAX


def unexplained(path: str, source: str) -> bool:
    """Tells whether a room of the product does not say what it is for and where to begin."""
    parts = PurePath(path).parts
    if parts[0] != "onthedot" or parts[-1] != "__init__.py" or len(parts) < 3 or parts[1] in _DOORS:
        return False
    return "Begin with `" not in (ast.get_docstring(ast.parse(source)) or "")


def crowded(paths: Iterable[str]) -> list[str]:
    """Returns the folders of the product and its tests with more modules than one reads at a
    glance.
    """
    folders = Counter(str(PurePath(path).parent) for path in paths)
    ours = ("onthedot", "tests")
    return [name for name, many in folders.items() if many > MODULES_MAX and name.startswith(ours)]


def _definitions(source: str) -> Iterator[Function | ast.ClassDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function | ast.ClassDef):
            yield node


def _functions(source: str) -> Iterator[Function]:
    return (each for each in _definitions(source) if isinstance(each, Function))


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _is_vague(name: str) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")
    return (
        bool(VAGUE_WORDS.intersection(words))
        or words in [[each] for each in VAGUE_NAMES]
        or (words[0] == "handle" and len(words) > 1)
    )
