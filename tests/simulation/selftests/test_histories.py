"""Some hundreds of histories, every profile with the audit and without; one that breaks a law."""

from __future__ import annotations

import pytest

from tests.simulation.histories import history, judged
from tests.simulation.play.shrink import shrink
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.scene import has_twin

# `make simulate` plays many more, in `.ci/run` too.
SEEDS, _FEW = 2, 1
# Seeds that broke a law once, with what it was.
REGRESSIONS = (
    ("calm", 0),  # jitter carried a slot over the edge of the registration
    ("stale bare", 4),  # a cursor that moved between two pages was planned twice
    ("gates bare", 16),  # a retrying run gave its place up when its older message came
    ("killers", 0),  # runs died of another's handler, batch after batch
    ("edits", 202),  # a throttled record of a slot was taken for a written one
    ("edits", 229),  # a throttled trigger was acknowledged
    ("permits bare", 98),  # a run in line for a takeover was settled after all, and due later
)


def _told(name: str, seed: int) -> str:
    if not judged(history(ALL[name], seed), ALL[name]):
        return ""
    return f"profile {name!r}, seed {seed}, {shrink(ALL[name], seed).told()}"


@pytest.mark.parametrize("name", ALL)
def test_every_law_holds_at_the_end_of(name: str) -> None:
    # Histories of hours are for `make simulate`.
    seeds = _FEW if ALL[name].course.auditor.laws else SEEDS
    stories = [_told(name, seed) for seed in range(seeds)]

    assert "\n".join(stories).strip() == ""


@pytest.mark.parametrize(("name", "seed"), REGRESSIONS)
def test_what_broke_once_holds(name: str, seed: int) -> None:
    assert _told(name, seed) == ""


def test_a_seed_tells_the_same_story_twice() -> None:
    stories = [history(ALL["rough"], 7).world.story() for _ in range(2)]

    assert stories[0] == stories[1]


def test_every_profile_has_a_twin_without_the_audit() -> None:
    bare = [name for name in ALL if name.endswith(" bare")]

    single = [name for name in ALL if not has_twin(ALL[name])]
    assert len(bare) == len(ALL) - len(bare) - len(single)
    assert not any(ALL[name].course.audited for name in bare)
