"""The index of the decisions: each stands in it exactly once, with its number and its title."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

FOLDER = "docs/decisions/"
INDEX = f"{FOLDER}README.md"
_DECISION = re.compile(rf"{FOLDER}\d{{4}}-[a-z0-9-]+\.md")
# Some titles repeat the number of their file.
_TITLE = re.compile(r"# (?:\d{4}:? )?(.+)")
_ENTRY = re.compile(r"^- \[(\d{4}): (.+?)\]\(([^)]+)\)\. \S", re.MULTILINE)


def is_decision(path: str) -> bool:
    """Tells whether a page is a decision, and not the index or a page elsewhere."""
    return _DECISION.fullmatch(path) is not None


def misplaced(index: str, decisions: Mapping[str, str]) -> list[str]:
    """Names what the index says wrongly; `decisions` has each file's path and content."""
    return [*_wrong(index, decisions), *_count_faults(index, decisions)]


def _wrong(index: str, decisions: Mapping[str, str]) -> Iterator[str]:
    for number, title, file in _ENTRY.findall(index):
        content = decisions.get(f"{FOLDER}{file}")
        if content is None:
            yield f"{file} is no decision"
        elif (number, title) != (file[:4], _title(content)):
            yield f"{file} is {file[:4]}: {_title(content)}"


def _count_faults(index: str, decisions: Mapping[str, str]) -> Iterator[str]:
    listed = Counter(f"{FOLDER}{file}" for _, _, file in _ENTRY.findall(index))
    for path in decisions:
        if listed[path] != 1:
            yield f"{path.removeprefix(FOLDER)} stands there {listed[path]} times"


def _title(content: str) -> str:
    found = _TITLE.match(content)
    return found[1] if found else ""
