"""The index of the decisions is complete, and its rule finds what it is there to find."""

import pytest

from tests.tidy import tree
from tests.tidy.decisions import INDEX, is_decision, misplaced

DECISIONS = {
    "docs/decisions/0001-a-mask.md": "# A mask [is] `one` integer\n\n*2026-11-18*\n",
    "docs/decisions/0002-one-edit.md": "# 0002: One edit\n",
    "docs/decisions/0003-one-route.md": "# 0003 One route\n",
}
LINES = (
    "- [0001: A mask [is] `one` integer](0001-a-mask.md). It is fast.",
    "- [0002: One edit](0002-one-edit.md). It has one order.",
    "- [0003: One route](0003-one-route.md). It is `$default`.",
)


def test_each_decision_stands_in_the_index_once_with_its_title() -> None:
    decisions = {name: tree.text(name) for name in tree.pages() if is_decision(name)}

    assert decisions
    assert misplaced(tree.text(INDEX), decisions) == []


def test_an_index_with_each_decision_passes() -> None:
    assert misplaced("\n".join(LINES), DECISIONS) == []


@pytest.mark.parametrize(
    "lines",
    [
        LINES[:2],
        (*LINES, LINES[0]),
        (*LINES[:2], "- [0003: Another route](0003-one-route.md). It is `$default`."),
        (*LINES[:2], "- [0004: One route](0003-one-route.md). It is `$default`."),
        (*LINES[:2], "- [0003: One route](0003-one-route.md)"),
        (*LINES, "- [0004: One gate](0004-one-gate.md). It is gone."),
    ],
)
def test_an_index_that_is_wrong_is_found(lines: tuple[str, ...]) -> None:
    assert len(misplaced("\n".join(lines), DECISIONS)) == 1


def test_the_index_itself_is_no_decision() -> None:
    assert not is_decision(INDEX)
    assert not is_decision("docs/upgrading.md")
    assert is_decision("docs/decisions/0001-a-mask.md")
