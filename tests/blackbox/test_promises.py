"""The list of promises: each test that it names is there, and each scenario stands in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
LIST = HERE / "promises.md"
# They play nothing: what they hold together is this folder.
ABOUT_THEMSELVES = {"test_promises.py", "test_tied.py"}
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def functions(path: Path) -> set[str]:
    """Returns the tests of a file; none, if there is no such file."""
    if not path.is_file():
        return set()
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def rows() -> list[str]:
    """The promises, each with what shows it."""
    lines = LIST.read_text().splitlines()
    return [line for line in lines if line.startswith("| ") and line != "| promise | shown by |"]


def test_every_test_that_is_named_is_there() -> None:
    named = set(NAMED.findall(LIST.read_text()))

    assert len(named) > 200
    assert (
        sorted(f"{file}::{test}" for file, test in named if test not in functions(TESTS / file))
        == []
    )


def test_every_promise_names_a_test() -> None:
    assert [row for row in rows() if not NAMED.search(row)] == []


def test_every_scenario_shows_a_promise() -> None:
    named = {test for file, test in NAMED.findall(LIST.read_text()) if file.startswith("blackbox/")}
    here = [path for path in HERE.glob("test_*.py") if path.name not in ABOUT_THEMSELVES]

    played = {name for path in here for name in functions(path) if name.startswith("test_")}
    assert sorted(played - named) == []


def test_every_page_of_the_docs_has_its_promises() -> None:
    pages = {f"docs/{path.name}" for path in (TESTS.parent / "docs").glob("*.md")}
    headings = re.findall(r"^## (.+)$", LIST.read_text(), re.MULTILINE)

    assert sorted({"README.md", *pages} - set(headings)) == []
