"""Faults of strangers: patches that were written before their writer knew any of the laws.

`strange/` has one file each: what a user would see, the profiles to be played first, the change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType

from tests.mutation.code import ROOT, functions, outermost, path
from tests.simulation.mutants.planted_faults import Mutant, Patch

FOLDER = Path(__file__).parent / "strange"
_FORM = re.compile(
    r"(?P<sees>.+?)\nPlayed first: (?P<profiles>[^\n]+?)(?: from (?P<seed>\d+))?\n"
    r"(?:Shown by: (?P<test>\S+)\n)?\n--- a/(?P<file>\S+)\.py\n\+\+\+ [^\n]+\n@@\n(?P<hunks>.+)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One of them; a hunk is a text that stands once in the module, and the text in its place."""

    name: str
    sees: str
    module: str
    hunks: tuple[tuple[str, str], ...]
    profiles: tuple[str, ...]
    seed: int
    # The test that shows it, where no history does.
    test: str

    def patches(self) -> list[Patch]:
        """Gives other code for each function, and another value for each constant, that changes."""
        text = (ROOT / path(self.module)).read_text()
        return list(_patches(self.module, ast.parse(text), ast.parse(self.changed(text))))

    def changed(self, text: str) -> str:
        """Gives the module's text with the fault in it."""
        for place, old, new in sorted(self._places(text), reverse=True):
            text = text[:place] + new + text[place + len(old) :]
        return text

    def _places(self, text: str) -> Iterator[tuple[int, str, str]]:
        for old, new in self.hunks:
            if text.count(old) != 1:
                raise AssertionError(f"{self.name!r} does not fit {self.module} any more: {old}")
            yield text.index(old), old, new


def read(file: Path) -> Fault:
    found = _FORM.fullmatch(file.read_text())
    if found is None:
        raise ValueError(f"{file.name} is no planted fault: see another one for the form")
    return Fault(
        name=file.stem,
        sees=found["sees"].replace("\n", " "),
        module=found["file"].replace("/", "."),
        hunks=tuple(_sides(hunk) for hunk in found["hunks"].split("@@\n")),
        profiles=tuple(found["profiles"].split(", ")),
        seed=int(found["seed"] or 0),
        test=found["test"] or "",
    )


def _sides(hunk: str) -> tuple[str, str]:
    lines = hunk.splitlines(keepends=True)
    return _side(lines, " -"), _side(lines, " +")


def _side(lines: list[str], marks: str) -> str:
    return "".join(line[1:] for line in lines if line[0] in marks)


def _patches(module: str, before: ast.Module, after: ast.Module) -> Iterator[Patch]:
    loaded = import_module(module)
    same = {name: ast.dump(function) for name, function in outermost(before)}
    changed = {name for name, function in outermost(after) if same[name] != ast.dump(function)}
    codes = dict(_codes(compile(after, str(ROOT / path(module)), "exec")))
    for function in functions(loaded):
        name = function.__code__.co_qualname
        if name in changed:
            yield function, "__code__", codes[name]
    values = {name: ast.dump(value) for name, value in _constants(before)}
    for name, value in _constants(after):
        if values[name] != ast.dump(value):
            yield loaded, name, ast.literal_eval(value)


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner.co_qualname, inner
            yield from _codes(inner)


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


FAULTS = tuple(read(file) for file in sorted(FOLDER.glob("*.patch")))
STRANGERS = tuple(
    Mutant(each.name, each.sees, each.patches, each.profiles, each.seed)
    for each in FAULTS
    if not each.test
)
